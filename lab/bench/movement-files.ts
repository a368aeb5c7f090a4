/**
 * Compares files of movements that name packages by codes with files that name them by keys: npm run build && npx tsx
 * lab/bench/movement-files.ts [--rounds 5] [--packages 10000]. Uses the reader and the batches of `malote movements
 * import`. Each file moves every package once, in one process of the service on an embedded PostgreSQL. Prints seconds
 * and their ratios. Exits non-zero if a ratio exceeds its goal in every round.
 */
import { Readable } from 'node:stream';
import { parseArgs } from 'node:util';
import { importMovements, type MovementResult, reader } from '../../src/cli/remote/movement-import.js';
import { orderBody, packageBody } from '../../test/support/bodies.js';
import { accessToken, ask } from '../../test/support/http.js';
import { startPostgres } from '../../test/support/postgres.js';
import { startChild } from '../../test/support/processes/child.js';
import { operatorLogin, serviceSettings } from '../../test/support/service.js';
import { judge, machine, mention, ratios, spread } from '../figures.js';
import { demandBuild, SERVICE } from './programs.js';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '5' }, packages: { type: 'string', default: '10000' } },
});
const [rounds, count] = [Number(values.rounds), Number(values.packages)];
const GOAL = 1.2;
const MAX_OF_ORDER = 100;

const names = ['loggi_key', 'tracking_code', 'barcode'] as const;
type Name = (typeof names)[number];
type Parcel = Record<Name, string>;

type Post = (path: string, body: unknown) => Promise<string>;

async function placePackages(post: Post): Promise<Parcel[]> {
  const parcels: Parcel[] = [];
  while (parcels.length < count) {
    const packages = Array.from({ length: Math.min(MAX_OF_ORDER, count - parcels.length) }, () => packageBody);
    const order: { packages: Parcel[] } = JSON.parse(await post('/api/v1/orders', { ...orderBody(), packages }));
    parcels.push(...order.packages);
  }
  return parcels;
}

/** The seconds for a file that moves every package, with packages named in one way. */
async function secondsOf(name: Name, parcels: readonly Parcel[], post: Post): Promise<number> {
  const now = new Date().toISOString();
  const file = [`${name},status_code,happened_at`, ...parcels.map((parcel) => `${parcel[name]},17,${now}`)].join('\n');
  const rows = reader.rows(Readable.from([Buffer.from(file)]), 'csv', console.log);
  const send = async (movements: object[]): Promise<MovementResult[]> =>
    JSON.parse(await post('/operator/v1/movements', { movements })).results;
  const started = performance.now();
  const { recorded } = await importMovements(rows, { send, progress: () => undefined });
  if (recorded !== parcels.length) throw new Error(`${recorded} of ${parcels.length} movements were recorded`);
  return (performance.now() - started) / 1000;
}

await demandBuild();
const postgres = await startPostgres({ level: 'warn' });
const env = { ...serviceSettings(postgres.nearUrl, postgres.folder), RATE_LIMIT_ACCOUNT_PER_HOUR: '1000000000' };
const server = await startChild([SERVICE, '--no-sender'], env);
try {
  console.log(machine());
  const token = await accessToken(server.url, operatorLogin);
  const post: Post = async (path, body) => {
    const { status, text } = await ask(server.url, 'POST', path, { token, body });
    if (status >= 300) throw new Error(`${path} was answered ${status} ${text}`);
    return text;
  };
  const parcels = await placePackages(post);
  const seconds: Record<Name, number[]> = { loggi_key: [], tracking_code: [], barcode: [] };
  // The first round warms up the just-in-time compiler.
  for (let round = -1; round < rounds; round += 1) {
    for (const name of names) {
      const took = await secondsOf(name, parcels, post);
      if (round >= 0) seconds[name].push(took);
    }
  }
  for (const name of names) mention(`${count} movements by ${name}, s`, spread(seconds[name]));
  const verdicts = (['tracking_code', 'barcode'] as const).map((name) =>
    judge(`by ${name}, in times of loggi_key`, ratios(seconds[name], seconds.loggi_key), GOAL, 'below'),
  );
  process.exitCode = verdicts.includes(false) ? 1 : 0;
} finally {
  await server.signal('SIGTERM');
  await postgres.stop();
}
