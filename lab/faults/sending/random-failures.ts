import { setTimeout as sleep } from 'node:timers/promises';
import { updateEndpoint } from '../../../src/endpoints/endpoints.js';
import { replayDeliveries } from '../../../src/queue/replay.js';
import { type Endpoint, newEndpoints } from '../../../test/support/processes/endpoints.js';
import { breachesOf, type Finding, judge } from '../../../test/support/processes/judgement.js';
import type { Stage } from '../../../test/support/processes/stage.js';
import { newTraffic } from '../../../test/support/processes/traffic.js';
import { deadLetters, drained, endPauses } from '../../../test/support/queue.js';
import { between, choose, type Random } from '../../../test/support/random.js';
import { type Reply, waitFor } from '../../../test/support/receiver.js';
import type { Fault, Run } from '../fault.js';

interface Size {
  endpoints: number;
  packages: number;
  movements: number;
}

const replies = (random: Random): Reply =>
  choose<Reply>(
    random,
    [
      [60, { status: 200 }],
      [8, { status: 201, afterMs: between(random, 0, 300) }],
      [10, { status: 500 }],
      [5, { status: 503, headers: { 'retry-after': '1' } }],
      [5, { status: 202 }],
      [4, { status: 302, headers: { location: 'https://127.0.0.1/' } }],
      [7, 'reset'],
      [1, 'hang'],
    ],
    { status: 200 },
  );

/** Receivers fail at random while packages move, endpoints get other lanes, and workers start and stop. */
async function failAtRandom(run: Run, size: Size): Promise<Finding> {
  const { stage, random } = run;
  const receiver = await stage.openReceiver();
  receiver.answer(({ replay }) => (replay ? { status: 200 } : replies(random)));
  const world = await newEndpoints(stage, receiver, { endpoints: size.endpoints, packages: size.packages });
  const traffic = newTraffic(stage.db);
  const stopEnding = endPausesEarly(stage);
  try {
    await moveAmongChanges(run, size, world, (number) => traffic.move(world, number), receiver.port);
    await drained(stage.db, 120_000);
    for (const { id } of world) await replayDeliveries(stage.db, id, 'dead-letters');
    await waitFor(async () => (await deadLetters(stage.db)) === 0, 'the dead letters', 30_000);
  } finally {
    await stopEnding();
  }
  const judgement = judge(traffic.committed, receiver.arrivals);
  const bodies = new Set(receiver.arrivals.map(({ webhookId }) => webhookId)).size;
  return {
    figures:
      `${traffic.committed.length} notifications in ${bodies} bodies, ${receiver.arrivals.length - bodies} requests repeated: ` +
      `inversions ${judgement.inversions}, lost ${judgement.lost}, altered ${judgement.altered}`,
    breaches: breachesOf(judgement),
  };
}

async function moveAmongChanges(
  { stage, random }: Run,
  { packages, movements }: Size,
  world: readonly Endpoint[],
  move: (number: number) => Promise<void>,
  port: number,
): Promise<void> {
  const workers = [await stage.start('worker', [port]), await stage.start('worker', [port])];
  for (let number = 0; number < movements; number += 1) {
    for (let each = 0; each < packages; each += 1) await move(each);
    if (number % 8 === 3) await changeLanes(stage, world, random);
    if (number % 12 === 7) {
      await workers.shift()?.signal('SIGKILL');
      workers.push(await stage.start('worker', [port]));
    }
  }
}

/** Shortens every pause until the returned function is called. */
function endPausesEarly({ db }: Stage): () => Promise<void> {
  const stopped = new AbortController();
  const run = async (): Promise<void> => {
    while (!stopped.signal.aborted) {
      await endPauses(db);
      await sleep(300);
    }
  };
  const running = run();
  return async () => {
    stopped.abort();
    await running;
  };
}

async function changeLanes({ db, ring }: Stage, world: readonly Endpoint[], random: Random): Promise<void> {
  for (const { id, url } of world.filter(() => random() < 0.3)) {
    const destination = { url: new URL(url), username: 'bench' };
    await updateEndpoint(db, ring, id, { destination, lanes: between(random, 1, 4) });
  }
}

export const randomFailures: Fault = {
  what: 'receivers that fail at random',
  promise: 'order per package: inversions 0',
  run: (run) => failAtRandom(run, { endpoints: 40, packages: 8, movements: 32 }),
};
