/**
 * The GraphQL interface on fastify and mercurius, with the service's own schema, resolvers, parts and authentication.
 * It lacks the service's limits, request log and masked errors.
 */
import Fastify from 'fastify';
import mercurius from 'mercurius';
import { createContext } from '../../../../src/app/context.js';
import * as database from '../../../../src/app/database.js';
import { startOrders } from '../../../../src/app/interfaces.js';
import { startParts } from '../../../../src/app/parts.js';
import { loadConfig } from '../../../../src/base/config.js';
import { executableSchema } from '../../../../src/graphql/schema.js';
import { createPlanning } from '../../../../src/routing/planning.js';

const config = loadConfig(process.env);
const context = await createContext(config, {});
const parts = await startParts(context, await database.start(context));
const schema = executableSchema({
  ...parts,
  encryptionKeys: context.keys.encryptionKeys,
  fiscalRule: config.fiscalDocument,
  ...startOrders(parts),
  bulkhead: { run: (_operation, _owner, work) => work() },
  planning: createPlanning({ log: context.log }),
});

const app = Fastify({ bodyLimit: config.bodyLimit });
await app.register(mercurius, {
  schema,
  context: async ({ headers, ip }) => ({
    actor: await parts.identity.authenticateApiKey(headers.authorization),
    ip,
    idempotencyKey: headers['idempotency-key'],
    origin: {},
    freePlace: () => undefined,
    addHeaders: () => undefined,
    inTurn: (work) => work(),
    listed: ({ details }) => details,
  }),
});
const url = await app.listen({ port: config.port, host: config.host });
process.stdout.write(`mercurius is ready at ${url}\n`);
process.on('SIGTERM', async () => {
  await app.close();
  await context.running.stop();
});
