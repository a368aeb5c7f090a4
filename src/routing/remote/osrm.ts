import type { Place } from '../../base/place.js';
import { embeddedDistances, greatCircleMetres, leastLegs } from '../embedded-distances.js';
import type { Distances, LegTable } from '../ports.js';
import type { Fallback } from './fallback.js';
import { askJson, below, toList, toMatrix, toNumber, toRecord, UnusableAnswerError } from './json-client.js';

/** OSRM refuses tables over more than 100 places by default, so larger ones are requested in blocks of 50 × 50. */
const BLOCK = 50;

/**
 * OSRM moves every place to its nearest road. Beyond these metres, or this share of the leg, that road is not the
 * place's own.
 */
const MAX_MOVED_METRES = 1_000;
const MAX_MOVED_SHARE = 0.05;
/** Least ratio of a leg to its straight distance. It is below 1, because OSRM moves both ends along the road. */
const STRAIGHTEST = 0.99;

type Block = Awaited<ReturnType<typeof fetchBlock>>;

type Flaw = 'legsWithoutRoad' | 'legsFarFromRoads' | 'legsShorterThanStraight';

/** Road distances and driving times from OSRM's table service. An embedded leg replaces each flawed one. */
export const createOsrm = (url: string, { ask, notePartial }: Fallback): Distances => ({
  async table(places) {
    const embedded = await embeddedDistances.table(places);
    const blocks = await ask<Block[]>(
      () => fetchBlocks(url, places),
      () => [],
    );
    if (blocks.length === 0) return embedded;
    const { table, flaws } = merge(blocks, places, embedded);
    if (flaws.size > 0) notePartial(Object.fromEntries(flaws));
    return table;
  },
});

async function fetchBlocks(url: string, places: readonly Place[]): Promise<Block[]> {
  const starts = Array.from({ length: Math.ceil(places.length / BLOCK) }, (_, block) => block * BLOCK);
  const requests = starts.flatMap((row) => starts.map((column) => fetchBlock(url, places, row, column)));
  return Promise.all(requests);
}

async function fetchBlock(url: string, places: readonly Place[], rowsFrom: number, columnsFrom: number) {
  const from = places.slice(rowsFrom, rowsFrom + BLOCK);
  const to = places.slice(columnsFrom, columnsFrom + BLOCK);
  const coordinates = [...from, ...to].map(({ longitude, latitude }) => `${longitude},${latitude}`).join(';');
  const target = below(url, `/table/v1/driving/${coordinates}`);
  target.search = new URLSearchParams({
    annotations: 'duration,distance',
    sources: indexes(from.length),
    destinations: indexes(to.length, from.length),
  }).toString();
  const answer = toRecord(await askJson(target), 'answer');
  if (answer['code'] !== 'Ok') throw new UnusableAnswerError(`OSRM answers ${JSON.stringify(answer['code'])}`);
  return {
    rowsFrom,
    columnsFrom,
    metres: toMatrix(answer['distances'], from.length, to.length, 'distances'),
    seconds: toMatrix(answer['durations'], from.length, to.length, 'durations'),
    // Metres that OSRM moved the places of the rows, and of the columns.
    rowsMoved: toMoved(answer['sources'], from.length, 'sources'),
    columnsMoved: toMoved(answer['destinations'], to.length, 'destinations'),
  };
}

const indexes = (count: number, from = 0): string =>
  Array.from({ length: count }, (_, index) => from + index).join(';');

function toMoved(value: unknown, count: number, what: string): number[] {
  const moved = toList(value, what).map((waypoint) =>
    toNumber(toRecord(waypoint, what)['distance'], `${what}.distance`),
  );
  if (moved.length !== count) throw new UnusableAnswerError(`${what} are not ${count}`);
  return moved;
}

/** A leg in OSRM's answer. Metres and seconds are null if OSRM has no road. */
type Leg = ReturnType<typeof legsOf>[number];

const legsOf = ({ rowsFrom, columnsFrom, metres, seconds, rowsMoved, columnsMoved }: Block) =>
  metres.flatMap((row, i) =>
    row.map((cell, j) => ({
      from: rowsFrom + i,
      to: columnsFrom + j,
      metres: cell,
      seconds: seconds[i]?.[j] ?? null,
      // The greater of the metres by which OSRM moved the two ends.
      moved: Math.max(rowsMoved[i] ?? 0, columnsMoved[j] ?? 0),
    })),
  );

/**
 * The reason to refuse a leg, or undefined. A place that OSRM moved to a wrong road would make the leg far too short.
 */
function flawOf({ metres, seconds, moved }: Leg, straightMetres: number): Flaw | undefined {
  if (moved > Math.max(MAX_MOVED_METRES, MAX_MOVED_SHARE * straightMetres)) return 'legsFarFromRoads';
  if (metres === null || seconds === null) return 'legsWithoutRoad';
  return metres < STRAIGHTEST * straightMetres ? 'legsShorterThanStraight' : undefined;
}

function merge(blocks: readonly Block[], places: readonly Place[], embedded: LegTable) {
  const metres = embedded.metres.map((row) => [...row]);
  const seconds = embedded.seconds.map((row) => [...row]);
  const least = leastLegs(places);
  const flaws = new Map<Flaw, number>();
  for (const leg of blocks.flatMap(legsOf)) {
    const [from, to, metreRow, secondRow] = [places[leg.from], places[leg.to], metres[leg.from], seconds[leg.from]];
    if (leg.from === leg.to || !from || !to || !metreRow || !secondRow) continue;
    const flaw = flawOf(leg, greatCircleMetres(from, to));
    if (flaw === undefined) {
      // The road between coarse coordinates may be too short.
      metreRow[leg.to] = Math.max(leg.metres ?? 0, least.metres[leg.from]?.[leg.to] ?? 0);
      secondRow[leg.to] = Math.max(leg.seconds ?? 0, least.seconds[leg.from]?.[leg.to] ?? 0);
    } else flaws.set(flaw, (flaws.get(flaw) ?? 0) + 1);
  }
  const table: LegTable = { metres, seconds, source: flaws.size === 0 ? 'osrm' : embedded.source };
  return { table, flaws };
}
