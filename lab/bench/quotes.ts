/**
 * Cost of a quote by CEPs, beside an estimate of the same packages to whole addresses:
 *
 * npm run build && npx tsx lab/bench/quotes.ts [--rounds 7] [--requests 2000] [--clients 16]
 *
 * Prints microseconds of the service's CPU for each, in turns. Exits non-zero when a quote costs as much as an
 * estimate in every round. Most of both is the request itself: its bytes, its token and one statement.
 */
import { packageBody } from '../../test/support/bodies.js';
import { accessToken } from '../../test/support/http.js';
import { startPostgres } from '../../test/support/postgres.js';
import { startChild } from '../../test/support/processes/child.js';
import { operatorLogin, serviceSettings } from '../../test/support/service.js';
import { judge, machine, mention, ratios, spread } from '../figures.js';
import { costs, effortOf, type Request } from './costs.js';
import { demandBuild, SERVICE } from './programs.js';

const GOAL = 1;

const { dimensions } = packageBody;
const PICKUP = 'Av. Paulista, 1578 - Bela Vista, São Paulo - SP, 01310-200';
const estimate = { pickups: [{ address: { address: PICKUP } }], packages: [packageBody] };
const quote = {
  pickups: [{ postal_code: '01310200' }],
  packages: [{ place: { postal_code: '05422000' }, dimensions }],
};

await demandBuild();
const postgres = await startPostgres({ level: 'warn' });
const env = { ...serviceSettings(postgres.nearUrl, postgres.folder), RATE_LIMIT_ACCOUNT_PER_HOUR: '1000000000' };
const server = await startChild([SERVICE, '--no-sender'], env, { measured: true });
try {
  console.log(machine());
  const head = `Authorization: Bearer ${await accessToken(server.url, operatorLogin)}\r\n`;
  const post = (path: string, body: object): Request => ({ path, head, body: JSON.stringify(body) });
  const found = await costs(
    {
      quote: [server, post('/api/v1/quotes', quote)],
      estimate: [server, post('/api/v1/estimates', estimate)],
    },
    effortOf(),
  );
  mention('CPU of a quote, µs', spread(found.quote));
  mention('CPU of an estimate, µs', spread(found.estimate));
  const isCheap = judge('Quote, as a share of an estimate', ratios(found.quote, found.estimate), GOAL, 'below');
  process.exitCode = isCheap ? 0 : 1;
} finally {
  await server.signal('SIGTERM');
  await postgres.stop();
}
