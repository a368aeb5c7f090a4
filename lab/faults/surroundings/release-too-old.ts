import { expectThat } from '../../../test/support/processes/judgement.js';
import type { Fault } from '../fault.js';
import { releasedBuild, unpartitioned } from './released.js';

/** All that it writes. */
const LINE = /did not start: (malote: [^\n]*start 1\.3 or later[^\n]*)\n?$/;

export const releaseTooOld: Fault = {
  what: `release ${unpartitioned.version} is started on partitioned tables`,
  promise: 'it ends at its start with one line that says what to start instead',
  run: async ({ stage }) => {
    const build = await releasedBuild(unpartitioned);
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
      figures: `${unpartitioned.version}: ${lines[0] ?? said[0]}`,
      breaches: said.flatMap((text, place) => expectThat(lines[place] !== undefined, text)),
    };
  },
};
