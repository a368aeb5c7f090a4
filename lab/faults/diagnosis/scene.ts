import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { Origin } from '../../../test/support/database.js';
import { type NameServer, startNameServer } from '../../../test/support/name-server.js';
import type { Build } from '../../../test/support/processes/child.js';
import { complaintsOf } from '../../../test/support/processes/doctor.js';
import { operatorLogin } from '../../../test/support/service.js';
import type { Cluster } from '../../cluster/cluster.js';
import { asking } from '../sending/own-failures.js';
import { fewClients, type Load, startLoad } from '../topology/load.js';
import { openTopology, PATH, type ServiceName, serviceNames, type Topology } from '../topology/topology.js';
import type { Problem } from './diagnosis.js';
import { type Prometheus, startPrometheus } from './prometheus.js';

/** The cluster under load, and the tools that observe it. */
export type Scene = ReturnType<typeof sceneOf>;

/** Ignored here: the Node version differs from the cluster's, and trials have their own name server. */
const OF_MACHINE = new Set(['node', 'settings']);
const HOST = 'hooks.example.com';
/** The pause of a client that sends about one request of each kind per second. */
const PAUSE_MS = 800;

interface SceneOptions {
  /** Prometheus' folder. */
  name: string;
  build: Build;
  settings?: NodeJS.ProcessEnv | undefined;
  /** The pause between requests of each client. */
  pauseMs?: number;
  /** Changes the processes before observation starts. */
  before?: ((topology: Topology) => Promise<void>) | undefined;
}

/** Opens the topology with a named receiver and the load, runs the work, and closes everything. */
export async function withScene<T>(
  cluster: Cluster,
  origin: Origin,
  { name, build, settings, before, pauseMs = PAUSE_MS }: SceneOptions,
  work: (scene: Scene) => Promise<T>,
): Promise<T> {
  await cluster.members.whole();
  const names = await startNameServer();
  names.zone.set(HOST, [['127.0.0.1']]);
  const place = { names: [HOST, '127.0.0.1'] };
  const topology = await openTopology(cluster, origin, build, { ...asking(names.port), ...settings }, place);
  const { stage, receiver, url, customer } = topology;
  const address = `https://${HOST}:${receiver.port}${PATH}`;
  await stage.db.updateTable('webhook_endpoints').set({ url: address }).execute();
  await before?.(topology);
  const prometheus = await startPrometheus(cluster, name);
  try {
    const load = await startLoad(url, customer, PATH, fewClients, pauseMs);
    return await work(sceneOf(topology, prometheus, load, names));
  } finally {
    await prometheus.stop();
    await topology.close();
    names.close();
  }
}

function sceneOf(topology: Topology, prometheus: Prometheus, load: Load, names: NameServer) {
  const { cluster, stage } = topology;
  /** Settings of single machines, for example their clocks or keys. */
  const machines = new Map<ServiceName, NodeJS.ProcessEnv>();
  const settingsOn = (name: ServiceName) => ({ ...topology.settingsOf(name), ...machines.get(name) });

  /** Runs `malote doctor` on these machines, one after the other. */
  const findings = async (names: readonly ServiceName[] = serviceNames): Promise<Problem[]> => {
    const all: Problem[] = [];
    for (const machine of names)
      for (const complaint of await complaintsOf(stage, settingsOn(machine), OF_MACHINE))
        all.push({ ...complaint, machine });
    return all;
  };

  return {
    topology,
    cluster,
    stage,
    prometheus,
    load,
    names,
    findings,
    /** Restarts a process on a machine with these settings. */
    restart: async (
      name: ServiceName,
      env: NodeJS.ProcessEnv = {},
      signal: NodeJS.Signals = 'SIGTERM',
      build?: Build,
    ) => {
      await topology.processes.get(name)?.signal(signal);
      machines.set(name, env);
      await topology.start(name, env, build);
    },
    /** Runs a command of the operator. Resolves to its output. */
    malote: (command: string): Promise<string> =>
      stage.complete(`malote ${command}`, {
        ...settingsOn('api-1'),
        MALOTE_URL: topology.url,
        OPERATOR_PASSWORD: operatorLogin.password,
      }),
    /** Runs a statement as the superuser, at the leader or the given member. */
    sql: async (statement: string, host?: string): Promise<Record<string, unknown>[]> => {
      const url = new URL(cluster.adminUrl);
      if (host !== undefined) url.hostname = host;
      url.pathname = new URL(stage.databaseUrl).pathname;
      const client = new pg.Client({ connectionString: url.href });
      await client.connect();
      return client
        .query(statement)
        .then(({ rows }) => rows)
        .finally(() => client.end());
    },
  };
}

/** Repeats a question until it has an answer. Resolves to undefined after `withinMs`. */
export async function eventually<T>(
  look: () => Promise<T | undefined>,
  withinMs: number,
  pauseMs = 2_000,
): Promise<T | undefined> {
  for (const end = performance.now() + withinMs; performance.now() < end; await sleep(pauseMs)) {
    const answer = await look();
    if (answer !== undefined) return answer;
  }
  return undefined;
}
