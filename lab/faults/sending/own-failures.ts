import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import { startNameServer } from '../../../test/support/name-server.js';
import type { CheckingReceiver } from '../../../test/support/processes/checking-receiver.js';
import type { Child } from '../../../test/support/processes/child.js';
import { type Endpoint, newEndpoints } from '../../../test/support/processes/endpoints.js';
import { breachesOf, expectThat, type Finding, judge } from '../../../test/support/processes/judgement.js';
import type { Stage } from '../../../test/support/processes/stage.js';
import { newTraffic, type Traffic } from '../../../test/support/processes/traffic.js';
import { countOf, drained } from '../../../test/support/queue.js';
import type { Fault, Run } from '../fault.js';

const ENDPOINTS = 100;
const OUTAGE_MS = 25_000;
const MOVE_MS = 5_000;
const BACK_WITHIN_MS = 20_000;

/** A failure between the worker and its receivers. */
interface Outage {
  begin(): Promise<void>;
  end(): Promise<void>;
  /** Requests a URL from the worker's machine. */
  ask?(url: string): Promise<string>;
}

interface Scene {
  stage: Stage;
  receiver: CheckingReceiver;
  world: Endpoint[];
  traffic: Traffic;
  worker: Child;
}

/** Delivers, moves packages while nothing can be sent, and counts the effects. */
async function outlast({ stage, receiver, world, traffic, worker }: Scene, outage: Outage): Promise<Finding> {
  await traffic.move(world);
  await drained(stage.db, 30_000);
  await outage.begin();
  const until = performance.now() + OUTAGE_MS;
  while (performance.now() < until) {
    await traffic.move(world);
    await sleep(MOVE_MS);
  }
  const { ask = async (url: string) => (await fetch(url)).text() } = outage;
  const said = (await ask(`${worker.url}/readyz`)).trim();
  await outage.end();
  const endedAt = performance.now();
  const lag = async () => (performance.now() - endedAt) / 1000;
  const seconds = await drained(stage.db, 60_000).then(lag, () => Number.POSITIVE_INFINITY);
  const counted = await countOf(stage.db, 'webhook_attempts', sql`outcome <> 'acknowledged'`);
  const failing = await countOf(stage.db, 'webhook_endpoints', sql`failing_since is not null`);
  const lines = worker
    .output()
    .split('\n')
    .filter((line) => line.includes('"trouble"')).length;
  const judgement = judge(traffic.committed, receiver.arrivals);
  return {
    figures:
      `${world.length} endpoints, ${OUTAGE_MS / 1000} s: ${counted} attempts counted, all sent ${seconds.toFixed(1)} s after it, ` +
      `${lines} lines of log, "${said}"; lost ${judgement.lost}, inversions ${judgement.inversions}`,
    breaches: [
      ...breachesOf(judgement),
      ...expectThat(counted === 0, `${counted} attempts were counted`),
      ...expectThat(failing === 0, `${failing} endpoints count as failing`),
      ...expectThat(seconds * 1000 <= BACK_WITHIN_MS, `what waited was sent ${seconds.toFixed(1)} s later`),
      ...expectThat(said.startsWith('not ready: '), 'the worker said that it was ready'),
      ...expectThat(lines >= 1 && lines <= 3, `${lines} lines of log`),
    ],
  };
}

/** Makes a process use only this name server, in place of the machine's. */
export const asking = (port: number): NodeJS.ProcessEnv => {
  const preload = `
    import dns from 'node:dns';
    import { syncBuiltinESMExports } from 'node:module';
    const { Resolver, lookup } = dns.promises;
    dns.promises.Resolver = class extends Resolver {
      constructor(...options) { super(...options); this.setServers(['127.0.0.1:${port}']); }
    };
    dns.promises.lookup = (host, options) => lookup(host, options).catch(async () => {
      const addresses = await new dns.promises.Resolver().resolve4(host);
      return addresses.map((address) => ({ address, family: 4 }));
    });
    syncBuiltinESMExports();`;
  return { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(preload)}` };
};

export const silentNameServers: Fault = {
  what: `the name servers are silent for ${OUTAGE_MS / 1000} s; one name has no answer ever, one does not exist`,
  promise: 'no attempt counted but those two; everything sent within 20 s after it; one line, not ready meanwhile',
  run: async ({ stage }) => {
    const names = await startNameServer();
    const receiver = await stage.openReceiver({ names: ['*.example.com', '127.0.0.1'] });
    const world = await newEndpoints(stage, receiver, { endpoints: ENDPOINTS });
    for (const [number, { id, path }] of world.entries()) {
      const host = `host-${number}.example.com`;
      names.zone.set(host, [['127.0.0.1']]);
      await sendElsewhere(stage, id, `https://${host}:${receiver.port}${path}`);
    }
    // Every delivery opens a connection, so it needs the name.
    receiver.answer(() => ({ status: 200, headers: { connection: 'close' } }));
    const worker = await stage.start('worker', [receiver.port], asking(names.port));
    const finding = await outlast(
      { stage, receiver, world, traffic: newTraffic(stage.db), worker },
      {
        begin: async () => void names.silentFor.add('all'),
        end: async () => names.silentFor.clear(),
      },
    );
    const counted = await countedOfDead({ stage, port: receiver.port }, world, (host) => names.silentFor.add(host));
    names.close();
    return {
      figures: `${finding.figures}; of a dead name and an absent one ${counted} counted`,
      breaches: [...finding.breaches, ...expectThat(counted === 2, `of two names at fault ${counted} were counted`)],
    };
  },
};

const sendElsewhere = ({ db }: Stage, id: string, url: string) =>
  db.updateTable('webhook_endpoints').set({ url }).where('id', '=', id).execute();

/** Counts the failures that two endpoints with unknown host names get while other endpoints work. */
async function countedOfDead(
  { stage, port }: { stage: Stage; port: number },
  world: readonly Endpoint[],
  silence: (host: string) => void,
): Promise<number> {
  const [dead, absent] = world;
  silence('dead.example.com');
  await sendElsewhere(stage, dead?.id ?? '', `https://dead.example.com:${port}/`);
  await sendElsewhere(stage, absent?.id ?? '', `https://absent.example.com:${port}/`);
  await newTraffic(stage.db).move(world);
  await sleep(15_000);
  return countOf(stage.db, 'webhook_endpoints', sql`failing_since is not null`);
}

const run = promisify(execFile);

export const noNetwork: Fault = {
  what: `the network interface of the worker's machine is down for ${OUTAGE_MS / 1000} s`,
  promise: 'no attempt counted; everything sent within 20 s after it; one line, not ready meanwhile',
  run: async ({ stage, postgres }) => {
    const net = await openNetwork();
    try {
      const receiver = await stage.openReceiver({ host: net.outside, names: [net.outside] });
      const world = await newEndpoints(stage, receiver, { endpoints: ENDPOINTS });
      const database = new URL(stage.databaseUrl);
      // The worker reaches the database by a Unix socket, which does not use the network.
      database.search = new URL(postgres.nearUrl).search;
      const env = { DATABASE_URL: database.href, WEBHOOK_ALLOW_CIDRS: `${net.outside}/32` };
      const worker = await stage.start('worker', [receiver.port], env, { within: net.within });
      return await outlast({ stage, receiver, world, traffic: newTraffic(stage.db), worker }, net);
    } finally {
      await net.close();
    }
  },
};

/**
 * A network of two: this machine is outside, and a network namespace is inside. The interface between them goes down
 * and up. Needs root and iproute2.
 */
async function openNetwork(): Promise<Outage & { outside: string; within: string[]; close(): Promise<void> }> {
  const [space, near, far] = ['malote', 'mlt', 'mlf'].map((name) => `${name}${process.pid}`);
  const ip = (words: string) => run('ip', words.split(' '));
  // TEST-NET-3, whose addresses belong to nobody.
  const [outside, inside] = ['203.0.113.1', '203.0.113.2'];
  await ip(`netns add ${space}`);
  await ip(`link add ${near} type veth peer name ${far} netns ${space}`);
  await ip(`addr add ${outside}/30 dev ${near}`);
  await ip(`link set ${near} up`);
  await ip(`-n ${space} addr add ${inside}/30 dev ${far}`);
  await ip(`-n ${space} link set lo up`);
  const end = async () => {
    await ip(`-n ${space} link set ${far} up`);
    await ip(`-n ${space} route replace default via ${outside}`);
  };
  await end();
  const within = ['ip', 'netns', 'exec', space ?? ''];
  const ask = async (url: string) => {
    const fetching = `fetch('${url}').then(async (answer) => console.log(await answer.text()))`;
    const [command = '', ...words] = [...within, process.execPath, '-e', fetching];
    return (await run(command, words)).stdout;
  };
  return {
    outside,
    within,
    ask,
    begin: async () => void (await ip(`-n ${space} link set ${far} down`)),
    end,
    close: async () => void (await ip(`netns del ${space}`)),
  };
}

export const keysDoNotOpen: Fault = {
  what: 'of two workers one has other keys of the same ids, for 25 s it is alone',
  promise: 'no attempt counted; everything sent within 20 s after the other comes; it says why, and is not ready',
  run: async (trial) => withOtherKeys(trial),
};

async function withOtherKeys({ stage }: Run): Promise<Finding> {
  const receiver = await stage.openReceiver();
  const world = await newEndpoints(stage, receiver, { endpoints: ENDPOINTS });
  const first = await stage.start('worker', [receiver.port]);
  const others = { ENCRYPTION_KEYS: `faults:${randomBytes(32).toString('base64url')}` };
  const worker = await stage.start('worker', [receiver.port], others);
  return outlast(
    { stage, receiver, world, traffic: newTraffic(stage.db), worker },
    {
      begin: () => first.signal('SIGTERM'),
      end: async () => void (await stage.start('worker', [receiver.port])),
    },
  );
}
