/**
 * Tries the planner with a real Nominatim, OSRM and VROOM: npx tsx lab/engines/run.ts DIRECTORY [--loaded]
 * Installs the servers, loads a small extract of four towns, starts them on this machine, prints what came back as a table,
 * and stops them. Needs Debian, root, Python 3.12 (`PYTHON=…`) and the registries of Debian and PyPI; the directory must lie
 * outside the repository, where the user `postgres` can enter. `--loaded` uses what an earlier run left there.
 */
import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { townPoints, writeExtract } from './extract.js';
import { type Row, tryDistances, tryGeocoding, tryRoutes } from './trials.js';

const serversScript = fileURLToPath(new URL('servers.sh', import.meta.url));
/** As servers.sh starts them. */
const OSRM = 'http://127.0.0.1:5001';
const NOMINATIM = 'http://127.0.0.1:5002';
const VROOM = 'http://127.0.0.1:5003';
const START_MS = 60_000;

const [directory, option] = process.argv.slice(2);
if (directory === undefined) throw new Error('usage: run.ts DIRECTORY [--loaded]');
const servers = (command: string) =>
  execFileSync(serversScript, [command, resolve(directory)], { stdio: ['ignore', 2, 2] });

const points = townPoints();
try {
  if (option === '--loaded') servers('start_database');
  else {
    mkdirSync(directory, { recursive: true });
    servers('install');
    writeFileSync(join(directory, 'towns.osm'), writeExtract(points));
    servers('load');
  }
  servers('start');
  // A first search, since one by a server that has just started takes longer than the planner waits.
  await Promise.all([OSRM, `${NOMINATIM}/search?street=1+Rua+A&city=Santos`, VROOM].map(answers));
  print([
    ...(await tryGeocoding(NOMINATIM, points)),
    ...(await tryDistances(OSRM, points)),
    ...(await tryRoutes(VROOM)),
  ]);
} finally {
  servers('stop');
}

/** Waits until a server accepts requests, whatever it answers. */
async function answers(url: string): Promise<void> {
  for (const until = Date.now() + START_MS; ; await setTimeout(200)) {
    try {
      await fetch(url);
      return;
    } catch (error) {
      if (Date.now() > until) throw error;
    }
  }
}

function print(rows: readonly Row[]): void {
  const lines = [['engine', 'tried', 'came back'], ['---', '---', '---'], ...rows].map(
    (row) => `| ${row.join(' | ')} |`,
  );
  process.stdout.write(`${lines.join('\n')}\n`);
}
