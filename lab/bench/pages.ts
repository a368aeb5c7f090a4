/**
 * Compares the CPU of a page with that of its calls, for a public page and for a page of an operator: npm run build &&
 * npx tsx lab/bench/pages.ts [--rounds 7] [--requests 3000] [--clients 16]. The operator's page calls its operation and
 * reads the session; a request without a page measures the read of the session. One process of the service on an
 * embedded PostgreSQL answers both in turn. Prints CPU microseconds per request and their ratio. Exits non-zero if the
 * ratio exceeds its goal in every round.
 */
import { randomBytes } from 'node:crypto';
import { orderBody } from '../../test/support/bodies.js';
import { accessToken, ask } from '../../test/support/http.js';
import { startPostgres } from '../../test/support/postgres.js';
import { startChild } from '../../test/support/processes/child.js';
import { operatorLogin, serviceSettings } from '../../test/support/service.js';
import { judge, machine, ratios } from '../figures.js';
import { costs, effortOf } from './costs.js';
import { demandBuild, SERVICE } from './programs.js';

const effort = effortOf();
const GOAL = 2;

const settings = (directory: string, databaseUrl: string): NodeJS.ProcessEnv => ({
  ...serviceSettings(databaseUrl, directory),
  CODE_KEYS: `bench:${randomBytes(32).toString('base64url')}`,
  // Limits that requests count towards but never reach.
  RATE_LIMIT_PUBLIC_PER_HOUR: '100000000',
  LOG_LEVEL: 'info',
});

/** Makes a package that is with its courier. Resolves to the token of its tracking link. */
async function deliverPackage(url: string): Promise<string> {
  const token = await accessToken(url, operatorLogin);
  const order = JSON.parse((await ask(url, 'POST', '/api/v1/orders', { token, body: orderBody() })).text);
  const [{ loggi_key, tracking_url }] = order.packages;
  const location = { city: 'São Paulo', state: 'SP' };
  for (const status_code of [14, 17, 3, 17, 11]) {
    const movement = {
      id: crypto.randomUUID(),
      loggi_key,
      status_code,
      happened_at: new Date().toISOString(),
      location,
    };
    await ask(url, 'POST', '/operator/v1/movements', { token, body: { movements: [movement] } });
  }
  return tracking_url.split('/').at(-1);
}

/** The cookie of an operator who is signed in. */
async function sessionOf(url: string): Promise<string> {
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
  const body = new URLSearchParams({ ...operatorLogin }).toString();
  const { headers: answered } = await ask(url, 'POST', '/console/sign-in', { headers, body });
  return answered.get('set-cookie')?.split(';')[0] ?? '';
}

await demandBuild();
const postgres = await startPostgres({ level: 'warn' });
const env = settings(postgres.folder, postgres.nearUrl);
const server = await startChild([SERVICE, '--no-sender'], env, { measured: true });
try {
  console.log(machine());
  console.log(`${effort.rounds} rounds of ${effort.requests} requests over ${effort.clients} connections\n`);
  const token = await deliverPackage(server.url);
  const bearer = `Authorization: Bearer ${await accessToken(server.url, operatorLogin)}\r\n`;
  const cookie = `Cookie: ${await sessionOf(server.url)}\r\n`;
  const statuses = '/operator/v1/package-statuses?page_size=100';
  const all = await costs(
    {
      operation: [server, { path: `/api/v1/tracking/${token}` }],
      page: [server, { path: `/t/${token}` }],
      listing: [server, { path: statuses, head: bearer }],
      session: [server, { path: '/console/search', head: cookie, status: 303 }],
      console: [server, { path: '/console/package-statuses', head: cookie }],
    },
    effort,
  );
  const calls = all.listing.map((each, round) => each + (all.session[round] ?? 0));
  const verdicts = [
    judge('tracking page, as a multiple of trackPackage', ratios(all.page, all.operation), GOAL, 'below'),
    judge('console page, as a multiple of its calls', ratios(all.console, calls), GOAL, 'below'),
  ];
  process.exitCode = verdicts.every(Boolean) ? 0 : 1;
} finally {
  await server.signal('SIGTERM');
  await postgres.stop();
}
