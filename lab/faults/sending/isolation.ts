import { newEndpoints } from '../../../test/support/processes/endpoints.js';
import { expectThat, type Finding } from '../../../test/support/processes/judgement.js';
import { drive, lagsOf, ms, NOISE_MS, newTraffic, p99 } from '../../../test/support/processes/traffic.js';
import { choose, type Random } from '../../../test/support/random.js';
import type { Reply } from '../../../test/support/receiver.js';
import type { Fault } from '../fault.js';

const ENDPOINTS = 200;
const pace = { forMs: 4_000, perSecond: 100 };
const ROUNDS = 3;
// Measurements before a breach is believed, because the machine may be busy with other work.
const TRIES = 3;
const MAX_TIMES = 1.2;

const phases = [0, 1, ENDPOINTS * 0.05] as const;

const dead = (random: Random): Reply =>
  choose<Reply>(
    random,
    [
      [70, 'hang'],
      [15, 'reset'],
      [15, { status: 500 }],
    ],
    'hang',
  );

export const isolation: Fault = {
  what: '1 dead receiver, then 5 % of them, among healthy ones',
  promise: 'healthy p99 ≤ 1.2 × baseline',
  run: async ({ stage, random }) => {
    const receiver = await stage.openReceiver();
    const world = await newEndpoints(stage, receiver, { endpoints: ENDPOINTS });
    const traffic = newTraffic(stage.db);
    await stage.start('worker', [receiver.port]);
    // Dead receivers come first. Their backlogs never get shorter.
    let deadNow = new Set<string>();
    receiver.answer(({ path }) => (deadNow.has(path) ? dead(random) : { status: 200 }));
    await drive(traffic, world, { ...pace, forMs: 2 * pace.forMs });
    const healthy = new Set(world.slice(phases[2]).map(({ path }) => path));
    const round = async (phase: number): Promise<number[]> => {
      deadNow = new Set(world.slice(0, phases[phase]).map(({ path }) => path));
      return lagsOf(receiver, traffic, healthy, () => drive(traffic, world, pace));
    };
    let finding = await compare(round);
    for (let again = 1; again < TRIES && finding.breaches.length > 0; again += 1) finding = await compare(round);
    return finding;
  },
};

/** The phases alternate, so that other work of the machine affects all of them. */
async function compare(round: (phase: number) => Promise<number[]>): Promise<Finding> {
  const lags = phases.map((): number[] => []);
  for (let number = 0; number < ROUNDS; number += 1) {
    for (const [phase, ofPhase] of lags.entries()) ofPhase.push(...(await round(phase)));
  }
  const [baseline = 0, one = 0, some = 0] = lags.map(p99);
  const limit = Math.max(MAX_TIMES * baseline, baseline + NOISE_MS);
  const times = (value: number) => (value / baseline).toFixed(2);
  return {
    figures:
      `p99 ${ms(baseline)} with none dead, ${ms(one)} with 1 (${times(one)} ×), ${ms(some)} with ${phases[2]} of ` +
      `${ENDPOINTS} (${times(some)} ×), ${lags.flat().length} deliveries`,
    breaches: [
      ...expectThat(Number.isFinite(baseline), 'more than 1 % of the healthy deliveries did not arrive'),
      ...expectThat(one <= limit, `1 dead receiver made p99 ${times(one)} times as long`),
      ...expectThat(some <= limit, `5 % dead receivers made p99 ${times(some)} times as long`),
    ],
  };
}
