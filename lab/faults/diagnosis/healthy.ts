import { setTimeout as sleep } from 'node:timers/promises';
import type { Build } from '../../../test/support/processes/child.js';
import { expectThat, type Finding } from '../../../test/support/processes/judgement.js';
import { lastRelease, releasedBuild } from '../surroundings/released.js';
import { isInFront, type ServiceName, serviceNames, settleLoad, type Topology } from '../topology/topology.js';
import { inWords } from './diagnosis.js';
import type { Scene } from './scene.js';

/** A healthy cluster, in which no alert and no finding may appear. */
interface HealthyTrial {
  name: string;
  what: string;
  promise: string;
  before?(topology: Topology): Promise<void>;
  run(scene: Scene): Promise<Finding>;
}

const PAUSE_MS = 5_000;
const PROMISE = 'no alert fires, malote doctor finds nothing, nothing acknowledged is lost';

export const healthyTrials = (minutes: number, build: Build): readonly HealthyTrial[] => [
  {
    name: 'healthy',
    what: `a healthy cluster under load for ${minutes} minutes`,
    promise: PROMISE,
    run: (scene) => quietly(scene, () => sleep(minutes * 60_000), serviceNames),
  },
  {
    name: 'rolling-upgrade',
    what: `every process of release ${lastRelease.version} replaced by this build, one after the other`,
    promise: PROMISE,
    before: async ({ processes, start }) => {
      const released = await releasedBuild(lastRelease);
      for (const name of serviceNames) {
        await processes.get(name)?.signal('SIGTERM');
        await start(name, {}, released);
      }
    },
    run: (scene) =>
      quietly(scene, async (isUpgraded) => {
        for (const name of serviceNames) {
          await scene.restart(name, {}, 'SIGTERM', build);
          await isInFront(scene.cluster, ['api-1', 'api-2']);
          isUpgraded(name);
        }
        await sleep(2 * 60_000);
      }),
  },
];

/** Watches the signs during some work: alerts, and `malote doctor` on each machine with this build. */
async function quietly(
  scene: Scene,
  work: (isUpgraded: (name: ServiceName) => void) => Promise<unknown>,
  present: readonly ServiceName[] = [],
): Promise<Finding> {
  const told = new Set<string>();
  const upgraded = new Set<ServiceName>(present);
  let looks = 0;
  let isOver = false;
  const look = async (): Promise<void> => {
    for (let turn = 0; !isOver; turn += 1) {
      const machine = serviceNames[turn % serviceNames.length];
      const findings = machine && upgraded.has(machine) ? await scene.findings([machine]) : [];
      const signs = { alerts: await scene.prometheus.alerts(), findings };
      if (signs.alerts.length + findings.length > 0) told.add(inWords(signs));
      looks += 1;
      await sleep(PAUSE_MS);
    }
  };
  const looking = look();
  await work((name) => void upgraded.add(name));
  isOver = true;
  await looking;
  const kept = await settleLoad(scene.topology, scene.load);
  return {
    figures: `${looks} looks, told ${told.size} times; ${kept.figures}`,
    breaches: [
      ...[...told].map((words) => `told: ${words}`),
      ...expectThat(looks > 0, 'nobody looked'),
      ...kept.breaches,
    ],
  };
}
