/**
 * # How the day is going
 *
 * ## Who takes part
 *
 * - A trigger keeps a narrow row of each package under way, and of those that ended since yesterday, in
 *   `counted_packages` (db/migrations/0068-counted-packages.ts). A row says what the package is, and what it was when
 *   the day of its last change began.
 * - One statement counts all rows for now, another one for the end of yesterday (cells.ts).
 * - A chore keeps the counts of yesterday, which no longer change, and adds up ended packages (keep-days.ts). Without
 *   it every figure is the same and takes longer.
 *
 * ## Promises
 *
 * - The figures of today count every package, however many there are.
 * - Days are those of São Paulo. A movement that is reported late counts for the day on which it happened, while
 *   yesterday's places and statuses are those that were known at midnight.
 */
import type { Db } from '../../db/connect.js';
import type { OrderStatus } from '../../db/tables/database.js';
import type { DeliveryOutcome } from '../../db/tables/movements.js';
import { listStatuses } from '../../packages/catalogue.js';
import { DELIVERED } from '../../packages/movement.js';
import { type CountCell, readCells, readDay } from './cells.js';
import { type DayResult, readResults } from './results.js';

/** Packages under way by place: not yet collected, in or between bases, and with a courier or an agency. */
export interface PlaceCounts {
  toCollect: number;
  inBases: number;
  onTheRoad: number;
  /** Packages among these whose promised date has passed. */
  late: number;
}

export interface DayCounts extends PlaceCounts {
  /** Packages that were due on or before the day and had not ended before it. */
  planned: number;
  deliveredOfPlanned: number;
  delivered: number;
}

interface Compared<Value> {
  today: Value;
  yesterday: Value;
}

export interface Today extends Compared<DayCounts> {
  statuses: (Compared<number> & { code: number })[];
  missed: (Compared<number> & { outcome: DeliveryOutcome })[];
  late: (Compared<number> & { days: number })[];
  bases: (Compared<PlaceCounts> & { city: string; state: string })[];
  customers: (Compared<PlaceCounts> & { accountId: string })[];
  days: DayResult[];
}

/** Most places, and most accounts, in an answer. */
const MAX_NAMED = 50;

export async function readToday(db: Db): Promise<Today> {
  const day = await readDay(db);
  const { ofToday, ofYesterday } = await readCells(db, day);
  const [statuses, days] = [await listStatuses(db), await readResults(db, day)];
  const stages = new Map(statuses.map(({ code, stage }) => [code, stage]));
  const [today, yesterday] = [countedIn(ofToday, stages), countedIn(ofYesterday, stages)];
  return {
    today: today.day,
    yesterday: yesterday.day,
    statuses: compared(today.statuses, yesterday.statuses, 0).map(([code, counts]) => ({ code, ...counts })),
    missed: compared(today.missed, yesterday.missed, 0).map(([outcome, counts]) => ({ outcome, ...counts })),
    late: compared(today.late, yesterday.late, 0).map(([lateDays, counts]) => ({ days: lateDays, ...counts })),
    bases: largest(today.bases, yesterday.bases).map(([name, counts]) => ({ ...placeNamed(name), ...counts })),
    customers: largest(today.customers, yesterday.customers).map(([accountId, counts]) => ({ accountId, ...counts })),
    days,
  };
}

type Stages = ReadonlyMap<number, OrderStatus>;

const noPlaces: PlaceCounts = { toCollect: 0, inBases: 0, onTheRoad: 0, late: 0 };

const partOf: Partial<Record<OrderStatus, keyof PlaceCounts>> = {
  created: 'toCollect',
  processing: 'inBases',
  out_for_delivery: 'onTheRoad',
};

const placeText = (city: string, state: string | null): string => `${city}\n${state ?? ''}`;

function placeNamed(text: string): { city: string; state: string } {
  const [city = '', state = ''] = text.split('\n');
  return { city, state };
}

function add<Key>(counts: Map<Key, number>, key: Key, packages: number): void {
  counts.set(key, (counts.get(key) ?? 0) + packages);
}

/** Sums the cells by each of their values. */
function countedIn(cells: readonly CountCell[], stages: Stages) {
  const day: DayCounts = { ...noPlaces, planned: 0, deliveredOfPlanned: 0, delivered: 0 };
  const [statuses, late] = [new Map<number, number>(), new Map<number, number>()];
  const missed = new Map<DeliveryOutcome, number>();
  const [bases, customers] = [new Map<string, PlaceCounts>(), new Map<string, PlaceCounts>()];
  for (const cell of cells) {
    const { packages, status_code: code, late_days: lateDays, missed_why: why, city, account_id: account } = cell;
    const part = partOf[stages.get(code) ?? 'cancelled'];
    if (lateDays !== null) {
      countForDay(day, cell, stages.get(code));
      if (why !== null) add(missed, why, packages);
      if (!part) continue;
      addTo(day, part, lateDays > 0, packages);
      add(statuses, code, packages);
      if (lateDays > 0) add(late, lateDays, packages);
    } else if (part && account !== null) {
      addTo(entryOf(customers, account), part, cell.is_late === true, packages);
    } else if (part && city !== null) {
      addTo(entryOf(bases, placeText(city, cell.state)), part, cell.is_late === true, packages);
    }
  }
  return { day, statuses, missed, late, bases, customers };
}

function countForDay(
  day: DayCounts,
  { packages, status_code: code, late_days: lateDays }: CountCell,
  stage?: OrderStatus,
) {
  const isDelivered = code === DELIVERED;
  const isDue = (lateDays ?? -1) >= 0 && stage !== 'cancelled';
  if (isDelivered) day.delivered += packages;
  if (isDue) day.planned += packages;
  if (isDue && isDelivered) day.deliveredOfPlanned += packages;
}

function addTo(counts: PlaceCounts, part: keyof PlaceCounts, isLate: boolean, packages: number): void {
  counts[part] += packages;
  if (isLate) counts.late += packages;
}

function entryOf(counts: Map<string, PlaceCounts>, key: string): PlaceCounts {
  const entry = counts.get(key) ?? { ...noPlaces };
  counts.set(key, entry);
  return entry;
}

function compared<Key extends string | number, Value>(
  today: ReadonlyMap<Key, Value>,
  yesterday: ReadonlyMap<Key, Value>,
  none: Value,
): [Key, Compared<Value>][] {
  const keys = [...new Set([...today.keys(), ...yesterday.keys()])].sort((a, b) => (a < b ? -1 : 1));
  return keys.map((key) => [key, { today: today.get(key) ?? none, yesterday: yesterday.get(key) ?? none }]);
}

type Counts = ReadonlyMap<string, PlaceCounts>;

const sumOf = ({ toCollect, inBases, onTheRoad }: PlaceCounts): number => toCollect + inBases + onTheRoad;

/** Picks the entries with the most late packages; among equals, those with the most packages. */
function largest(today: Counts, yesterday: Counts): [string, Compared<PlaceCounts>][] {
  const all = compared(today, yesterday, noPlaces);
  const order = ([, a]: (typeof all)[number], [, b]: (typeof all)[number]) =>
    b.today.late - a.today.late || sumOf(b.today) - sumOf(a.today);
  return all.sort(order).slice(0, MAX_NAMED);
}
