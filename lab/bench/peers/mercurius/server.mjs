/**
 * The GraphQL interface on fastify and mercurius: same schema, same resolvers, same parts, same authentication as the service's
 * own, from dist/. It has no limits, no request log and no error masks, which the service has.
 */
import Fastify from 'fastify';
import mercurius from 'mercurius';
import { Registry } from 'prom-client';
import { serviceMetrics } from '../../../../dist/src/app/metrics.js';
import { startParts } from '../../../../dist/src/app/parts.js';
import { loadConfig } from '../../../../dist/src/base/config.js';
import { createLog } from '../../../../dist/src/base/log.js';
import { runningParts } from '../../../../dist/src/base/process.js';
import { createReadiness } from '../../../../dist/src/base/readiness.js';
import { executableSchema } from '../../../../dist/src/graphql/schema.js';
import { createPlanning } from '../../../../dist/src/routing/planning.js';

const config = loadConfig(process.env);
const log = createLog({ level: config.logLevel });
const registry = new Registry();
const metrics = serviceMetrics(registry);
const running = runningParts(log);
const parts = await startParts(
  config,
  {},
  { log, registry, metrics, readiness: createReadiness(log, registry) },
  running,
);
const schema = executableSchema({ ...parts, planning: createPlanning({ log }) });

const app = Fastify({ bodyLimit: config.bodyLimit });
await app.register(mercurius, {
  schema,
  context: async ({ headers, ip }) => ({
    actor: await parts.identity.authenticateApiKey(headers.authorization),
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
  await running.stop();
});
