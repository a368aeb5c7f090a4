/**
 * The GraphQL interface on fastify and mercurius: same schema, same resolvers, same authentication, same database pool as the
 * service's own, from dist/. It has no limits, no request log and no error masks, which the service has.
 */
import Fastify from 'fastify';
import mercurius from 'mercurius';
import { Registry } from 'prom-client';
import { createIdentity } from '../../../../dist/src/accounts/identity.js';
import { systemClock } from '../../../../dist/src/base/clock.js';
import { loadConfig } from '../../../../dist/src/base/config.js';
import { keyRingsOf } from '../../../../dist/src/base/keys.js';
import { createLog } from '../../../../dist/src/base/log.js';
import { connect } from '../../../../dist/src/db/connect.js';
import { executableSchema } from '../../../../dist/src/graphql/schema.js';
import { createPlacing } from '../../../../dist/src/orders/place-order.js';
import { createCodeSource } from '../../../../dist/src/packages/codes.js';
import { createPlanning } from '../../../../dist/src/routing/planning.js';

const config = loadConfig(process.env);
const { jwtKeys, apiKeySecrets, encryptionKeys, codeKeys } = await keyRingsOf(config);
const log = createLog({ level: config.logLevel });
const db = connect({ url: config.databaseUrl, poolSize: config.databasePoolSize, applicationName: 'mercurius', log });
const identity = createIdentity({
  db,
  log,
  clock: systemClock,
  tokenKeys: jwtKeys,
  apiKeySecrets,
  tokenTtlSeconds: config.accessTokenTtlSeconds,
  issuer: config.publicUrl,
});
const planning = createPlanning({ log });
const schema = executableSchema({
  db,
  identity,
  planning,
  clock: systemClock,
  placing: createPlacing({ db, codes: createCodeSource(codeKeys), waitMs: config.databaseConnectTimeoutMs }),
  log,
  metrics: new Registry(),
  encryptionKeys,
});

const app = Fastify({ bodyLimit: config.bodyLimit });
await app.register(mercurius, {
  schema,
  context: async ({ headers, ip }) => ({
    actor: await identity.authenticateApiKey(headers.authorization),
    ip,
    idempotencyKey: headers['idempotency-key'],
    addHeaders: () => undefined,
    inTurn: (work) => work(),
    listed: ({ details }) => details,
  }),
});
const url = await app.listen({ port: config.port, host: config.host });
process.stdout.write(`mercurius is ready at ${url}\n`);
process.on('SIGTERM', async () => {
  await app.close();
  await db.destroy();
});
