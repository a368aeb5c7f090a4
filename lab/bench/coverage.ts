/**
 * Measures GET /api/v1/coverage with areas of all municipalities: npm run build && npx tsx lab/bench/coverage.ts
 * [--rounds 7] [--requests 3000] [--clients 16]. Prints the service's CPU in microseconds for one CEP, for a CEP with a
 * pickup, for a hundred CEPs, and for a 304. Exits non-zero if one CEP costs a millisecond in every round.
 */
import { allMunicipalities } from '../../src/routing/places/municipalities.js';
import { accessToken, must, signedIn } from '../../test/support/http.js';
import { startPostgres } from '../../test/support/postgres.js';
import { startChild } from '../../test/support/processes/child.js';
import { operatorLogin, serviceSettings } from '../../test/support/service.js';
import { judge, machine, mention, spread } from '../figures.js';
import { costs, effortOf } from './costs.js';
import { demandBuild, SERVICE } from './programs.js';

const MAX_MICROSECONDS = 1_000;
const PLACES = 100;

await demandBuild();
const postgres = await startPostgres({ level: 'warn' });
const env = { ...serviceSettings(postgres.nearUrl, postgres.folder), RATE_LIMIT_ACCOUNT_PER_HOUR: '1000000000' };
const server = await startChild([SERVICE, '--no-sender'], env, { measured: true });
try {
  console.log(machine());
  const { operator } = await signedIn(server.url, operatorLogin);
  const areas = allMunicipalities().map(({ code }) => ({ municipalities: [code] }));
  must(await operator.POST('/operator/v1/service-areas', { body: { areas } }));
  const head = `Authorization: Bearer ${await accessToken(server.url, operatorLogin)}\r\n`;
  const path = '/api/v1/coverage?postal_code=13010001';
  const codes = Array.from({ length: PLACES }, (_, at) => String(1_310_000 + at).padStart(8, '0'));
  const { headers } = await fetch(`${server.url}${path}`, { headers: { Authorization: head.trim().slice(15) } });
  const effort = effortOf();
  const found = await costs(
    {
      one: [server, { path, head }],
      pickup: [server, { path: `${path}&pickup_postal_code=01310200`, head }],
      unchanged: [server, { path, head: `${head}If-None-Match: ${headers.get('etag')}\r\n`, status: 304 }],
      hundred: [server, { path: `/api/v1/coverage?postal_codes=${codes.join(',')}`, head }],
    },
    effort,
  );
  const isCheap = judge('CPU of a CEP, µs', spread(found.one), MAX_MICROSECONDS, 'below');
  mention('CPU of a CEP with a pickup, µs', spread(found.pickup));
  mention('CPU of a CEP as a 304, µs', spread(found.unchanged));
  mention(`CPU of ${PLACES} CEPs, µs`, spread(found.hundred));
  process.exitCode = isCheap ? 0 : 1;
} finally {
  await server.signal('SIGTERM');
  await postgres.stop();
}
