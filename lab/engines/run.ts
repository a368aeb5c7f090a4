/**
 * Requests legs between houses of São Paulo and Belo Horizonte from a real OSRM, on maps of their street lines
 * (streets.ts): PYTHON=python3.12 npx tsx lab/engines/run.ts <via of São Paulo> <via of Belo Horizonte>
 */
import { parseArgs } from 'node:util';
import { addressedPoints } from '../../scripts/places/sources.js';
import type { Place } from '../../src/base/place.js';
import { embeddedDistances } from '../../src/routing/embedded-distances.js';
import { withFallback } from '../../src/routing/remote/fallback.js';
import { createOsrm } from '../../src/routing/remote/osrm.js';
import { withOsrm } from './osrm.js';
import { osmOf } from './streets.js';

const manaus: Place = { latitude: -3.119, longitude: -60.0217, precision: 'rooftop', city: 'Manaus', state: 'AM' };

const housesIn = (ibge: string, city: string, state: string): Place[] =>
  addressedPoints()
    .filter((point) => point.ibge === ibge && point.street !== '')
    .map(({ latitude, longitude }) => ({ latitude, longitude, precision: 'rooftop', accuracyMetres: 0, city, state }));

/** Legs inside a city, outside the map, and between cities without a road between them. */
function trials(): [what: string, places: Place[]][] {
  const houses = housesIn('3550308', 'São Paulo', 'SP');
  const others = housesIn('3106200', 'Belo Horizonte', 'MG');
  const saoPaulo = Array.from({ length: 110 }, (_, at) => houses[Math.floor((at * houses.length) / 110)] ?? manaus);
  return [
    ['20 houses in São Paulo', saoPaulo.slice(0, 20)],
    ['110 houses in São Paulo', saoPaulo],
    ['São Paulo → Manaus, which the map has not', [...saoPaulo.slice(0, 1), manaus]],
    ['São Paulo → Belo Horizonte, which the map joins by no road', [...saoPaulo, ...others].slice(109, 111)],
  ];
}

/** A row of the table: the planner's leg, and OSRM's own answer for the same leg. */
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

const { positionals } = parseArgs({ allowPositionals: true });
await withOsrm(osmOf(positionals), async (url) => {
  console.log('| tried | came back |\n| --- | --- |');
  for (const [what, places] of trials()) console.log(await rowOf(url, what, places));
});
