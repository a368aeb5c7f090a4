/**
 * Tries what the whole topology must survive: npx tsx lab/faults/topology/run.ts [name]… [--seed n] [--build
 * directory]. Starts deploy/cluster/compose.yaml on this machine once. Every fault gets its own database.
 * docs/cluster.md lists the names.
 */
import { parseArgs } from 'node:util';
import { compiledIn } from '../../../test/support/processes/child.js';
import { randomFrom } from '../../../test/support/random.js';
import { startCluster } from '../../cluster/cluster.js';
import { installPackages } from '../../cluster/packages.js';
import { chosen, topologyFaultNames } from '../names.js';
import { conclude, type Row, tried } from '../report.js';
import { topologyFaults } from './all.js';
import { openTopology, originOf } from './topology.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: 'string' }, build: { type: 'string', default: 'dist' } },
});
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
const names = chosen(topologyFaultNames, positionals);

console.log(`seed ${seed}\n`);
await installPackages(console.log);
const cluster = await startCluster();
const rows: Row[] = [];
try {
  const origin = await originOf(cluster);
  for (const name of names) {
    const fault = topologyFaults[name];
    const run = async () => {
      await cluster.members.whole();
      const topology = await openTopology(cluster, origin, compiledIn(values.build), fault.settings ?? {});
      return fault.run(topology, { random: randomFrom(seed) }).finally(topology.close);
    };
    rows.push(await tried(name, fault, run));
  }
} finally {
  await cluster.stop();
}
conclude(rows, seed);
