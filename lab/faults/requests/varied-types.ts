import { Agent, request } from 'node:http';
import { residentMegabytes } from '../../../test/support/processes/child.js';
import { expectThat } from '../../../test/support/processes/judgement.js';
import type { Fault } from '../fault.js';

const WARM_UP = 5_000;
const TYPES = 100_000;
const ROUND = 2_500;
const AT_ONCE = 32;
// A cached validator takes 15 KB, so one for each spelling would take 1.5 GB.
const ALLOWED_MB = 60;

const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });

/** An empty login, which the validator refuses. */
function send(url: string, type: string): Promise<number> {
  const { hostname, port } = new URL(url);
  const headers = { 'Content-Type': type, 'Content-Length': '2' };
  return new Promise((resolve, reject) => {
    const sent = request({ agent, hostname, port, method: 'POST', path: '/auth/login', headers }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode ?? 0));
    });
    sent.on('error', reject).end('{}');
  });
}

async function vary(url: string, from: number, to: number): Promise<number> {
  let refused = 0;
  let next = from;
  const one = async (): Promise<void> => {
    while (next < to) {
      next += 1;
      if ((await send(url, `application/json; z=${next}`)) === 400) refused += 1;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
  return refused;
}

export const variedTypes: Fault = {
  what: `${TYPES} spellings of one Content-Type`,
  promise: `validated each time, with at most ${ALLOWED_MB} MB more of memory`,
  run: async ({ stage }) => {
    const { url, pid } = await stage.start('api', [], { NODE_OPTIONS: '--max-semi-space-size=16' });
    await vary(url, 0, WARM_UP);
    let refused = 0;
    const resident: number[] = [];
    for (let sent = 0; sent < TYPES; sent += ROUND) {
      refused += await vary(url, WARM_UP + sent, WARM_UP + sent + ROUND);
      resident.push(await residentMegabytes(pid));
    }
    // Only the lowest values show a leak, because memory rises and falls between two garbage collections.
    const quarter = resident.length / 4;
    const more = Math.min(...resident.slice(-quarter)) - Math.min(...resident.slice(0, quarter));
    return {
      figures: `${refused} of ${TYPES} validated, ${more.toFixed(1)} MB more`,
      breaches: [
        ...expectThat(refused === TYPES, `${TYPES - refused} were not validated`),
        ...expectThat(more <= ALLOWED_MB, `it takes ${more.toFixed(0)} MB more`),
      ],
    };
  },
};
