/**
 * GraphQL over the service's own tables by PostGraphile with its usual preset. It returns any requested row: it has no
 * API key, no filter by owner (which would need row-level security), no limits, no error codes, and only the fields of
 * the tables.
 */
import { createServer } from 'node:http';
import { postgraphile } from 'postgraphile';
import { makePgService } from 'postgraphile/adaptors/pg';
import { grafserv } from 'postgraphile/grafserv/node';
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber';

const { DATABASE_URL: connectionString, DATABASE_POOL_SIZE } = process.env;
const service = postgraphile({
  extends: [PostGraphileAmberPreset],
  pgServices: [
    makePgService({ connectionString, schemas: ['public'], poolConfig: { max: Number(DATABASE_POOL_SIZE) } }),
  ],
  grafserv: { graphiql: false, watch: false },
});
const server = createServer();
await service.createServ(grafserv).addTo(server);
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`postgraphile is ready at http://127.0.0.1:${server.address().port}\n`);
});
process.on('SIGTERM', async () => {
  server.closeAllConnections();
  server.close();
  await service.release();
});
