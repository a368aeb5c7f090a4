/**
 * Asks a real OSRM for the legs of a small map: PYTHON=python3.12 npx tsx lab/engines/run.ts
 * Installs it from PyPI (osrm-bindings is made for Python 3.12), loads a map of two towns, and prints a table.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Place } from '../../src/base/place.js';
import { embeddedDistances } from '../../src/routing/embedded-distances.js';
import { withFallback } from '../../src/routing/remote/fallback.js';
import { createOsrm } from '../../src/routing/remote/osrm.js';
import { freePort } from '../../test/support/port.js';
import { startProgram } from '../../test/support/processes/program.js';
import { pythonWith } from '../cluster/packages.js';
import { housesOf, writeExtract } from './extract.js';

const execute = promisify(execFile);

const manaus: Place = { latitude: -3.119, longitude: -60.0217, precision: 'rooftop', city: 'Manaus', state: 'AM' };
const packages = ['osrm-bindings==26.10.0'];

/** Legs inside a town, out of the map, and between towns that no road joins. */
function trials(): [what: string, places: Place[]][] {
  const houses = housesOf('São Paulo');
  const saoPaulo = Array.from({ length: 110 }, (_, at) => houses[Math.floor((at * houses.length) / 110)] ?? manaus);
  return [
    ['20 houses in São Paulo', saoPaulo.slice(0, 20)],
    ['110 houses in São Paulo', saoPaulo],
    ['São Paulo → Manaus, which the map has not', [...saoPaulo.slice(0, 1), manaus]],
    ['São Paulo → Caetité, which the map joins by no road', [...saoPaulo, ...housesOf('Caetité')].slice(109, 111)],
  ];
}

/** A row of the table: what the planner makes of the answer, and what OSRM itself says of a single leg. */
async function rowOf(url: string, what: string, places: Place[]): Promise<string> {
  const lines: object[] = [];
  const fallback = withFallback({ service: 'OSRM', log: { warn: (fields) => void lines.push(fields) } });
  const started = performance.now();
  const table = await createOsrm(url, fallback).table(places);
  const ms = performance.now() - started;
  const embedded = await embeddedDistances.table(places);
  const kilometres = ({ metres }: { metres: number[][] }) => ((metres[0]?.[1] ?? 0) / 1_000).toFixed(1);
  const legs = `first leg ${kilometres(table)} km (computed ${kilometres(embedded)} km)`;
  const alone = places.length === 2 ? `; OSRM alone: ${await singleLeg(url, places)}` : '';
  return `| ${what} | ${table.source}, ${legs}${alone}; ${ms.toFixed(0)} ms; log ${JSON.stringify(lines)} |`;
}

async function singleLeg(url: string, places: readonly Place[]): Promise<string> {
  const coordinates = places.map(({ longitude, latitude }) => `${longitude},${latitude}`).join(';');
  const answer = await fetch(`${url}/table/v1/driving/${coordinates}?annotations=distance`);
  const { distances, sources }: { distances?: number[][]; sources?: { distance: number }[] } = JSON.parse(
    await answer.text(),
  );
  const moved = sources?.map(({ distance }) => Math.round(distance)).join(' and ');
  return `${distances?.[0]?.[1]} m, places moved by ${moved} m`;
}

const folder = await mkdtemp(join(tmpdir(), 'malote-osrm-'));
try {
  const python = await pythonWith('osrm', packages, console.log, process.env['PYTHON'] ?? 'python3.12');
  const { stdout } = await execute(python, ['-c', 'import osrm; print(osrm.__path__[0])']);
  const home = stdout.trim();
  const map = join(folder, 'towns.osrm');
  await writeFile(join(folder, 'towns.osm'), writeExtract());
  const run = (program: string, ...args: string[]) => execute(`${home}/bin/${program}`, args, { cwd: folder });
  await run('osrm-extract', '-p', `${home}/share/profiles/car.lua`, join(folder, 'towns.osm'));
  await run('osrm-partition', map);
  await run('osrm-customize', map);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const answers = async () => (await fetch(url)).status > 0;
  const args = ['--algorithm', 'mld', '--ip', '127.0.0.1', '--port', String(port), map];
  const server = await startProgram([`${home}/bin/osrm-routed`, ...args], { log: join(folder, 'log') }, answers);
  console.log('| tried | came back |\n| --- | --- |');
  for (const [what, places] of trials()) console.log(await rowOf(url, what, places));
  await server.signal('SIGTERM');
} finally {
  await rm(folder, { recursive: true, force: true });
}
