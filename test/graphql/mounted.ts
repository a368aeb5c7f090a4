import { once } from 'node:events';
import type { KyselyPlugin } from 'kysely';
import { createAccount } from '../../src/accounts/account.js';
import { createIdentity } from '../../src/accounts/identity.js';
import { paymentMethods } from '../../src/accounts/payment-methods.js';
import { systemClock } from '../../src/base/clock.js';
import { parseKeyRing } from '../../src/base/secrets/keys.js';
import { createLog } from '../../src/base/telemetry/log.js';
import type { ReadList } from '../../src/db/lists/replica.js';
import type { GraphqlDeps } from '../../src/graphql/context.js';
import { graphqlRouter } from '../../src/graphql/index.js';
import { createBulkhead } from '../../src/http/bulkhead.js';
import { createLimits } from '../../src/http/limits/rate-limit.js';
import { expressApp } from '../../src/http/server/express-app.js';
import { createServer, stop } from '../../src/http/server/http-server.js';
import { createPlacing } from '../../src/orders/place-order.js';
import { createCodeSource } from '../../src/packages/codes.js';
import { createTrackingLinks } from '../../src/packages/tracking-links.js';
import { createPlanning } from '../../src/routing/planning.js';
import { createDatabase } from '../support/database.js';
import { passwordHash } from '../support/password.js';
import { sendAs } from './client.js';

const secret = Buffer.alloc(32, 'x').toString('base64');
const keys = (name: string) => parseKeyRing(`${name}:${secret}`);
const NEVER = 1_000_000;

/** Starts the GraphQL interface alone, for tests that need its parts. */
export async function mountGraphql(
  change: (deps: GraphqlDeps) => GraphqlDeps = (deps) => deps,
  timeouts: Parameters<typeof createDatabase>[1] = {},
) {
  const database = await createDatabase(undefined, timeouts);
  let statements = 0;
  let watched = /(?!)/;
  let most = 0;
  const running = new Set<object>();
  const counter: KyselyPlugin = {
    transformQuery: ({ node, queryId }) => {
      if (watched.test(JSON.stringify(node))) running.add(queryId);
      most = Math.max(most, running.size);
      return node;
    },
    transformResult: async ({ result, queryId }) => {
      statements += 1;
      running.delete(queryId);
      return result;
    },
  };
  const db = database.db.withPlugin(counter);
  const lines: string[] = [];
  const log = createLog({ level: 'info', destination: { write: (line) => void lines.push(line) } });
  const encryptionKeys = parseKeyRing(`k1:${Buffer.alloc(32, 1).toString('base64')}`);
  const identity = createIdentity({
    db,
    log,
    clock: systemClock,
    tokenKeys: keys('k1'),
    apiKeySecrets: keys('a1'),
    encryptionKeys,
    tokenTtlSeconds: 3600,
    issuer: 'https://malote.example',
  });
  const planning = createPlanning({ log });
  const placing = createPlacing({ db, codes: createCodeSource(encryptionKeys), keys: encryptionKeys, waitMs: 20_000 });
  const readList: ReadList = (read) => read(db);
  const trackingLinks = createTrackingLinks('https://malote.example', encryptionKeys);
  const bulkhead = createBulkhead({ connections: 10, waitMs: 20_000, log });
  const own = { planning, placing, trackingLinks, encryptionKeys, bulkhead, fiscalRule: 'optional' as const };
  const deps = { db, readList, identity, clock: systemClock, log, ...own };
  const limits = createLimits({ publicPerHour: NEVER, accountPerHour: NEVER, operatorPerHour: 0 });
  const app = expressApp({ trustProxy: false, log }).use(graphqlRouter(change(deps), { limits, maxBody: NEVER }));
  const server = createServer(app).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : address}`;

  async function account() {
    const email = `${lines.length}@malote.test`;
    const profile = { email, name: 'Ana', phone: '+55 11 91234-5678', phoneConfirmed: true };
    const { id } = await createAccount(db, { ...profile, passwordHash });
    const send = sendAs(url, { Authorization: `ApiKey ${email}:${await identity.apiKeyOf(id)}` });
    const [method] = await paymentMethods(db, id);
    return { send, paymentMethod: method?.id ?? 0 };
  }

  /** The number of statements that `work` sends to the database, without the begin and end of transactions. */
  async function statementsOf(work: () => Promise<unknown>): Promise<number> {
    const before = statements;
    await work();
    return statements - before;
  }

  /** The largest number of statements with this text that the database runs at once during `work`. */
  async function maxAtOnce(text: RegExp, work: () => Promise<unknown>): Promise<number> {
    [watched, most] = [text, 0];
    await work();
    watched = /(?!)/;
    return most;
  }

  const stopAll = async () => {
    await stop(server, 1000);
    await database.drop();
  };
  return { db, lines, account, statementsOf, maxAtOnce, stop: stopAll };
}
