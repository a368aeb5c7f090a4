/**
 * CPU of counting a request against its limit: in the process's memory, and in the supervisor that several processes share.
 * npm run build && npx tsx lab/bench/counting.ts [--steps 60000]
 *
 * Forks itself: the supervisor counts as src/processes does, the other asks as a process does, with so many requests in one turn of its
 * event loop. Prints microseconds of both sides for each request; judges nothing.
 */
import cluster from 'node:cluster';
import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';
import { memoryStore } from '../../src/http/limits/memory-store.js';
import { WINDOW_MS } from '../../src/http/limits/rate-limit.js';
import { type Count, createCounters, type Step, supervisedCounters } from '../../src/http/limits/supervisor-store.js';
import { openQuestions } from '../../src/processes/messages.js';
import { machine, mention, spread } from '../../test/support/figures.js';

const { values } = parseArgs({ options: { steps: { type: 'string', default: '60000' } } });
const steps = Number(values.steps);
const atOnceOf = [1, 8, 32];

interface Asked {
  id: number;
  /** None asks for the CPU used. */
  steps: Step[];
}

interface Told {
  id: number;
  counts: Count[];
  cpu: number;
}

const cpu = (): number => {
  const { user, system } = process.cpuUsage();
  return user + system;
};

function supervise(): void {
  const count = createCounters(WINDOW_MS);
  console.log(machine());
  const process = cluster.fork();
  process.on('message', ({ id, steps }: Asked) =>
    process.send({ id, counts: count(steps), cpu: steps.length === 0 ? cpu() : 0 }),
  );
}

async function ask(): Promise<void> {
  const questions = openQuestions<Told>();
  process.on('message', (told: Told) => questions.answer(told.id, told));
  const tell = (steps: readonly Step[]) => questions.open((id) => process.send?.({ id, steps }));
  const both = async () => ({ own: cpu(), supervisor: (await tell([]))?.cpu ?? 0 });
  const shared = supervisedCounters(async (steps) => (await tell(steps))?.counts, 2, WINDOW_MS)('account');
  const keys = Array.from({ length: 1_000 }, () => randomUUID());
  const keyAt = (at: number) => keys[at % keys.length] ?? '';
  const countAll = async (atOnce: number): Promise<void> => {
    for (let done = 0; done < steps; done += atOnce) {
      await Promise.all(Array.from({ length: atOnce }, (_, at) => shared.increment(keyAt(done + at))));
    }
  };
  // For the just-in-time compiler.
  await countAll(1);
  for (const atOnce of atOnceOf) {
    const before = await both();
    await countAll(atOnce);
    const after = await both();
    const used = (side: 'own' | 'supervisor') => spread([(after[side] - before[side]) / steps]);
    mention(`counting in the supervisor, ${atOnce} at once: CPU of the process, µs a request`, used('own'));
    mention(`counting in the supervisor, ${atOnce} at once: CPU of the supervisor, µs a request`, used('supervisor'));
  }
  const memory = memoryStore(WINDOW_MS);
  const before = cpu();
  for (let done = 0; done < 10 * steps; done += 1) memory.increment(keyAt(done));
  mention("counting in the process's memory: CPU, µs a request", spread([(cpu() - before) / (10 * steps)]));
  process.disconnect();
}

if (cluster.isPrimary) supervise();
else await ask();
