/**
 * Brings about troubles, names their causes from the signs that people on call see, follows the advice, and checks that
 * the trouble ends: npx tsx lab/faults/diagnosis/run.ts [name]… [--build directory]. docs/diagnosis.md lists the names.
 * `--healthy 20` watches a healthy cluster for so many minutes and then during a rolling upgrade, and expects no sign.
 * `--strained` troubles one process after the other, and measures how soon the others are unaffected.
 */
import { parseArgs } from 'node:util';
import { compiledIn } from '../../../test/support/processes/child.js';
import { startCluster } from '../../cluster/cluster.js';
import { installPackages } from '../../cluster/packages.js';
import { chosen } from '../names.js';
import { conclude, type Row, tried } from '../report.js';
import { originOf } from '../topology/topology.js';
import { causes } from './diagnosis.js';
import { healthyTrials } from './healthy.js';
import { withScene } from './scene.js';
import { states } from './states/all.js';
import { STRAIN_PROMISE, strains, tryStrain } from './strained.js';
import { tryState } from './trial.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { build: { type: 'string', default: 'dist' }, healthy: { type: 'string' }, strained: { type: 'boolean' } },
});
const build = compiledIn(values.build);
const PROMISE = 'named within two minutes; the advice ends it; nothing acknowledged is lost';

await installPackages(console.log);
const cluster = await startCluster();
const rows: Row[] = [];
try {
  const origin = await originOf(cluster);
  if (values.healthy !== undefined) {
    for (const { name, what, promise, before, run } of healthyTrials(Number(values.healthy), build))
      rows.push(await tried(name, { what, promise }, () => withScene(cluster, origin, { name, build, before }, run)));
  } else if (values.strained) {
    for (const name of chosen(Object.keys(strains), positionals)) {
      const strain = strains[name];
      if (!strain) continue;
      const work = () => withScene(cluster, origin, { name, build, pauseMs: 100 }, (scene) => tryStrain(strain, scene));
      rows.push(await tried(name, { what: strain.what, promise: STRAIN_PROMISE }, work));
    }
  } else {
    for (const name of chosen(causes, positionals)) {
      const { settings, ...state } = states[name];
      const work = () =>
        withScene(cluster, origin, { name, build, settings }, (scene) =>
          tryState(name, state, scene).finally(() => state.restore?.(scene)),
        );
      rows.push(await tried(name, { what: state.what, promise: PROMISE }, work));
    }
  }
} finally {
  await cluster.stop();
}
conclude(rows, 0);
