import { newEndpoints } from '../../../test/support/processes/endpoints.js';
import { waiting } from '../../../test/support/processes/queue.js';
import { breachesOf, judge, newTraffic } from '../../../test/support/processes/traffic.js';
import { waitFor } from '../../../test/support/receiver.js';
import { expectThat, type Fault } from '../fault.js';

const ENDPOINTS = 50;
const LONGEST_MS = 45_000;

export const takeover: Fault = {
  number: 4,
  name: 'sender killed, none restarted',
  promise: 'another takes over within 45 s',
  run: async ({ stage }) => {
    const receiver = await stage.openReceiver();
    receiver.answer(() => 'hang');
    const world = await newEndpoints(stage, receiver, { endpoints: ENDPOINTS });
    const traffic = newTraffic(stage.db);
    const first = await stage.start('worker', [receiver.port]);
    await traffic.move(world);
    await waitFor(() => receiver.arrivals.length === ENDPOINTS, 'all requests', 10_000);
    await stage.start('worker', [receiver.port]);
    receiver.answer(() => ({ status: 200 }));
    await first.signal('SIGKILL');
    const killedAt = performance.now();
    await waitFor(async () => (await waiting(stage.db)) === 0, 'the takeover', 90_000);
    const delays = receiver.arrivals.slice(ENDPOINTS).map(({ at }) => at - killedAt);
    const longest = Math.max(...delays);
    const judgement = judge(traffic.committed, receiver.arrivals);
    return {
      figures: `${ENDPOINTS} lanes taken over ${seconds(Math.min(...delays))} to ${seconds(longest)} after the kill, lost ${judgement.lost}`,
      breaches: [
        ...breachesOf(judgement),
        ...expectThat(longest <= LONGEST_MS, `a lane was taken over after ${seconds(longest)}`),
        ...expectThat(delays.length === ENDPOINTS, `${delays.length} requests of the other sender, not ${ENDPOINTS}`),
      ],
    };
  },
};

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
