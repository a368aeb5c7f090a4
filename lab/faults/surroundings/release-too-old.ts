import { expectThat } from '../../../test/support/processes/judgement.js';
import type { Fault } from '../fault.js';
import { releasedBuild, tooOld } from './released.js';

/** The whole output of a process. */
const LINE = /did not start: (malote: [^\n]*too new for release[^\n]*)\n?$/;

export const releaseTooOld: Fault = {
  what: `release ${tooOld.version} is started on a database that a later one has made`,
  promise: 'it ends at its start with one line that says which releases the database serves',
  run: async ({ stage }) => {
    const build = await releasedBuild(tooOld);
    const programs = ['api --no-sender', 'worker'] as const;
    const said = await Promise.all(
      programs.map((program) =>
        stage.start(program, [], {}, { build }).then(
          () => `${program} started`,
          (error: Error) => error.message,
        ),
      ),
    );
    const lines = said.map((text) => LINE.exec(text)?.[1]);
    return {
      figures: `${tooOld.version}: ${lines[0] ?? said[0]}`,
      breaches: said.flatMap((text, place) => expectThat(lines[place] !== undefined, text)),
    };
  },
};
