/**
 * Tries what the whole topology must survive: npx tsx lab/faults/topology/run.ts [name]… [--seed n] [--build directory]
 * Starts deploy/cluster/compose.yaml on this machine once; every fault has a database of its own. docs/cluster.md has
 * the names.
 */
import { parseArgs } from 'node:util';
import { execute, inDatabase, type Origin } from '../../../test/support/database.js';
import { createTemplate } from '../../../test/support/postgres.js';
import { compiledIn } from '../../../test/support/processes/child.js';
import { randomFrom } from '../../../test/support/random.js';
import { type Cluster, startCluster } from '../../cluster/cluster.js';
import { installPackages } from '../../cluster/packages.js';
import { chosen, topologyFaultNames } from '../names.js';
import { conclude, type Row, tried } from '../report.js';
import { topologyFaults } from './all.js';
import { openTopology } from './topology.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seed: { type: 'string' }, build: { type: 'string', default: 'dist' } },
});
const seed = Number(values.seed ?? Math.floor(Math.random() * 2 ** 31));
const names = chosen(topologyFaultNames, positionals);

/**
 * The databases of the run belong to the service's own role, as in a deployment. It drops them, though autovacuum,
 * which belongs to no role, may be at work in them.
 */
async function originOf({ adminUrl, variables }: Cluster): Promise<Origin> {
  await execute(adminUrl, 'alter role malote createdb; grant pg_signal_backend to malote');
  const server = new URL(adminUrl);
  server.username = 'malote';
  server.password = variables['DATABASE_PASSWORD'] ?? '';
  return createTemplate(inDatabase(server.href, 'postgres'));
}

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
