/**
 * Measures the webhook worker and the operator's interface for movements, with database and receivers on this machine:
 * npx tsx lab/bench/webhooks.ts [rate|backlog|latency|flat|movements]… [--rounds N]. Notifications and connections are
 * real, and receivers answer at once. Exits non-zero if a goal is missed in every round.
 */
import { parseArgs } from 'node:util';
import { machine } from '../figures.js';
import { importBundled } from './programs.js';

const { openStage, ...parts }: typeof import('./webhooks/parts.js') =
  await importBundled('lab/bench/webhooks/parts.ts');
/** The number of receivers, and how many of them are dead. */
const sizes = {
  rate: [1_000, 0],
  backlog: [20, 1],
  latency: [1_000, 0],
  flat: [1_000, 0],
  movements: [20, 0],
} as const;
const isPart = (name: string): name is keyof typeof parts => name in parts;

const { values, positionals: names } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string' } },
});
const rounds = values.rounds === undefined ? undefined : Number(values.rounds);
const unknownNames = names.filter((name) => !isPart(name));
if (unknownNames.length > 0) throw new Error(`no such part: ${unknownNames.join(', ')}`);

for (const name of names.length > 0 ? names.filter(isPart) : Object.keys(parts).filter(isPart)) {
  console.log(`${name}: ${machine()}`);
  const [receivers, dead] = sizes[name];
  const stage = await openStage(receivers, dead);
  try {
    if (!(await parts[name](stage, rounds))) process.exitCode = 1;
  } finally {
    await stage.close();
  }
}
