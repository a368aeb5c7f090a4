import type { Place } from '../../base/place.js';
import { drivingSeconds, embeddedDistances, leastRoadMetres } from '../embedded-distances.js';
import type { Distances, LegTable } from '../ports.js';
import type { AskWithFallback } from './fallback.js';
import { below, getJson, toMatrix, toRecord, UnusableAnswerError } from './json-client.js';

/** OSRM refuses tables over more than 100 places by default, so larger ones are requested in blocks of 50 × 50. */
const BLOCK = 50;

interface Block {
  metres: number[][];
  seconds: number[][];
}

function indexes(count: number, from = 0): string {
  return Array.from({ length: count }, (_, index) => from + index).join(';');
}

async function fetchBlock(url: string, from: readonly Place[], to: readonly Place[]): Promise<Block> {
  const coordinates = [...from, ...to].map(({ longitude, latitude }) => `${longitude},${latitude}`).join(';');
  const target = below(url, `/table/v1/driving/${coordinates}`);
  target.search = new URLSearchParams({
    annotations: 'duration,distance',
    sources: indexes(from.length),
    destinations: indexes(to.length, from.length),
  }).toString();
  const answer = toRecord(await getJson(target), 'answer');
  if (answer['code'] !== 'Ok') throw new UnusableAnswerError(`OSRM answers ${JSON.stringify(answer['code'])}`);
  return {
    metres: toMatrix(answer['distances'], from.length, to.length, 'distances'),
    seconds: toMatrix(answer['durations'], from.length, to.length, 'durations'),
  };
}

function blocksOf(places: readonly Place[]): Place[][] {
  const blocks: Place[][] = [];
  for (let from = 0; from < places.length; from += BLOCK) blocks.push(places.slice(from, from + BLOCK));
  return blocks;
}

const joinRows = (parts: readonly number[][][]): number[][] =>
  (parts[0] ?? []).map((_, row) => parts.flatMap((part) => part[row] ?? []));

/** Where the coordinates of two places are coarse the road between their centres says too little: see `leastRoadMetres`. */
function notTooShort(table: Block, places: readonly Place[]): LegTable {
  places.forEach((from, i) => {
    places.forEach((to, j) => {
      const [metres, seconds] = [table.metres[i], table.seconds[i]];
      if (i === j || metres === undefined || seconds === undefined) return;
      const least = leastRoadMetres(from, to);
      metres[j] = Math.max(metres[j] ?? 0, least);
      seconds[j] = Math.max(seconds[j] ?? 0, drivingSeconds(least));
    });
  });
  return { ...table, source: 'osrm' };
}

async function fetchTable(url: string, places: readonly Place[]): Promise<LegTable> {
  const blocks = blocksOf(places);
  const rows = await Promise.all(blocks.map((from) => Promise.all(blocks.map((to) => fetchBlock(url, from, to)))));
  const metres = rows.flatMap((row) => joinRows(row.map((block) => block.metres)));
  const seconds = rows.flatMap((row) => joinRows(row.map((block) => block.seconds)));
  return notTooShort({ metres, seconds }, places);
}

/** Road distances and driving times by an OSRM server's table service. */
export function createOsrm(url: string, ask: AskWithFallback): Distances {
  return {
    table: (places) =>
      ask(
        () => fetchTable(url, places),
        () => embeddedDistances.table(places),
      ),
  };
}
