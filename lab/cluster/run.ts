/**
 * Runs deploy/cluster/compose.yaml on this machine without containers: npx tsx lab/cluster/run.ts. Installs the
 * programs it needs, prints addresses, and ends everything on Ctrl-C.
 */
import { type Cluster, messageOf, startCluster } from './cluster.js';
import { installPackages } from './packages.js';

const stopped = new Promise<void>((resolve) => {
  // Ctrl-C arrives twice: from the terminal, and passed on by npx. The second must not interrupt the stop.
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => resolve());
});
await run().catch((error: unknown) => {
  console.error(`make cluster: ${messageOf(error)}`);
  process.exitCode = 1;
});

async function run(): Promise<void> {
  await installPackages(console.log);
  console.log('starting etcd, PostgreSQL under Patroni, PgBouncer, Redis and HAProxy');
  const cluster = await startCluster();
  try {
    console.log('migrating the database; starting two processes of the API and two workers');
    await migrate(cluster);
    await cluster.start(['api-1', 'api-2', 'worker-1', 'worker-2']);
  } catch (error) {
    await cluster.stop('failed');
    throw new Error(`${messageOf(error)}: see ${cluster.folder}/*.log`, { cause: error });
  }
  console.log(description(cluster));
  await stopped;
  console.log('stopping');
  await cluster.stop();
}

async function migrate({ machine }: Cluster): Promise<void> {
  const migration = machine('migrate');
  await migration.start();
  if ((await migration.ended()) !== 0) throw new Error('the migration failed');
}

function description({ machine, variables, adminUrl, folder }: Cluster): string {
  const { OPERATOR_EMAIL: email, OPERATOR_PASSWORD: password } = variables;
  return `
Malote is ready at http://${machine('haproxy').address}:8080
  documentation        http://${machine('haproxy').address}:8080/docs
  operator             ${email} ${password}
  HAProxy's state      http://${machine('haproxy').address}:8404
  readiness, metrics   ${['api-1', 'api-2', 'worker-1', 'worker-2'].map((name) => `http://${machine(name).address}:3001/readyz`).join('\n                       ')}
  Patroni              http://${machine('postgres-a').address}:8008/cluster
  database             ${adminUrl}
  logs                 ${folder}/*.log
Ctrl-C ends everything.`;
}
