import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { must, signedIn } from '../../../test/support/http.js';
import { startPooler } from '../../../test/support/pgbouncer.js';
import { freePort } from '../../../test/support/port.js';
import type { CheckingReceiver } from '../../../test/support/processes/checking-receiver.js';
import type { Build, Child } from '../../../test/support/processes/child.js';
import { expectThat, type Finding } from '../../../test/support/processes/judgement.js';
import {
  breachesOfOrders,
  type Customer,
  countOrders,
  startOrderLoad,
} from '../../../test/support/processes/orders.js';
import type { Stage } from '../../../test/support/processes/stage.js';
import { drainedWithoutPauses } from '../../../test/support/queue.js';
import { waitFor } from '../../../test/support/receiver.js';
import { operatorLogin } from '../../../test/support/service.js';
import type { Fault } from '../fault.js';
import { emptied } from './expired-keys.js';
import { startBalancer } from './haproxy.js';
import { countUnnotified } from './orders-under-load.js';
import { poolerPrograms } from './pooler.js';
import { lastRelease, releasedBuild } from './released.js';

const CLIENTS = 6;
const LOAD_MS = 3_000;

/** Makes a customer through the interfaces that every release has. */
async function newCustomer(url: string, receiver: CheckingReceiver): Promise<Customer> {
  const login = { email: `${randomUUID()}@malote.test`, password: 'a password of a customer' };
  const { rest, operator } = await signedIn(url, operatorLogin);
  const headers = { 'Idempotency-Key': randomUUID() };
  const body = { ...login, name: 'Ana Souza', phone: '+55 11 91234-5678' };
  const { id } = must(await rest.POST('/api/v1/users', { params: { header: headers }, body }));
  const destination = { url: receiver.urlOf(0), username: 'malote', password: 'p4ss' };
  const endpoint = await operator.POST('/operator/v1/webhook-endpoints', { body: { user_id: id, ...destination } });
  const { signing_secret: signingSecret } = must(endpoint);
  receiver.expect(new URL(destination.url).pathname, { ...destination, signingSecret });
  return { ...login, accountId: id };
}

/**
 * Starts two processes of the last release on a database of its own, and migrates the database. Replaces the processes
 * one by one with this build, and again with the last release. Clients create orders through a balancer meanwhile.
 */
async function upgradeUnderLoad(stage: Stage, databaseUrl: string): Promise<Finding> {
  const released = await releasedBuild(lastRelease);
  await emptied(stage);
  const receiver = await stage.openReceiver();
  const places = await Promise.all(
    Array.from({ length: 4 }, async () => ({ port: await freePort(), internalPort: await freePort() })),
  );
  const balancer = await startBalancer(places);
  const start = async (place: number, build?: Build): Promise<Child> => {
    const { port = 0, internalPort = 0 } = places[place] ?? {};
    const ports = { PORT: String(port), INTERNAL_PORT: String(internalPort) };
    return stage.start(
      'api',
      [receiver.port],
      { DATABASE_URL: databaseUrl, PUBLIC_URL: balancer.url, ...ports },
      { ...(build && { build }) },
    );
  };
  const replaced = async (before: readonly Child[], first: number, build?: Build): Promise<Child[]> => {
    const after: Child[] = [];
    for (const [number, child] of before.entries()) {
      after.push(await start(first + number, build));
      // Long enough for a probe of the balancer.
      await sleep(1_500);
      await child.signal('SIGTERM');
    }
    await sleep(LOAD_MS);
    return after;
  };
  try {
    const old = [await start(0, released), await start(1, released)];
    await waitFor(async () => (await fetch(`${balancer.url}/health`)).ok, 'the balancer');
    const customer = await newCustomer(balancer.url, receiver);
    const load = await startOrderLoad(() => balancer.url, customer, CLIENTS);
    const exchange = async () => {
      await stage.complete('malote migrate', { DATABASE_URL: databaseUrl });
      return replaced(await replaced(old, 2), 0, released);
    };
    const last = await exchange().finally(load.stop);
    await drainedWithoutPauses(stage.db, 60_000);
    await Promise.all(last.map((child) => child.signal('SIGTERM')));
    const count = await countOrders(stage, load.created);
    const unnotified = await countUnnotified(stage, receiver);
    const failed = [...load.others].map(([status, times]) => `${times} × ${status}`).join(', ');
    return {
      figures: `${lastRelease.version} → this → ${lastRelease.version}: ${load.created.size} orders, failed ${failed || 'none'}, longest ${Math.max(...load.latencies).toFixed(0)} ms; lost ${count.missing}, orphans ${count.orphans}, not notified ${unnotified}`,
      breaches: [
        ...breachesOfOrders(count),
        ...expectThat(failed === '', `requests failed: ${failed}`),
        ...expectThat(unnotified === 0, `${unnotified} packages were not notified`),
      ],
    };
  } finally {
    await balancer.stop();
  }
}

export const rollingUpgrade: Fault = {
  what: 'processes of the last release replaced one by one by this one under load, and back again',
  promise: 'no request fails, nothing is lost',
  run: ({ stage }) => upgradeUnderLoad(stage, stage.databaseUrl),
};

// Fewer connections than the processes have, so that processes share each of them.
const CONNECTIONS = 8;

export const transactionPooler: Fault = {
  what: 'the same behind PgBouncer in transaction mode: started on an empty database, migrated, loaded, upgraded, taken back',
  promise: 'no request fails, nothing is lost',
  run: async ({ stage }) => {
    const programs = await poolerPrograms();
    const findings: Finding[] = [];
    for (const { version, command } of programs) {
      const pooler = await startPooler({ command, target: stage.databaseUrl, connections: CONNECTIONS });
      const { figures, breaches } = await upgradeUnderLoad(stage, pooler.url).finally(pooler.stop);
      findings.push({ figures: `behind ${version} ${figures}`, breaches });
    }
    return {
      figures: findings.map(({ figures }) => figures).join('; '),
      breaches: [
        ...expectThat(programs.length > 0, 'no PgBouncer is installed'),
        ...findings.flatMap(({ breaches }) => breaches),
      ],
    };
  },
};
