import { randomFillSync } from 'node:crypto';
import { NIL, v7 } from 'uuid';
import { DAY_MS, databaseTime, HOUR_MS } from './clock.js';

// Upper case is accepted because PostgreSQL compares uuid values, not their spelling.
const CANONICAL = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

// A pool of random bytes: to ask the system for the bytes of each id would cost more than making the id.
const pool = Buffer.alloc(4096);
let used = pool.length;

const last = { msecs: 0, seq: 0 };

/** Most milliseconds that the clock may go back while ids continue from the last one. */
const MAX_BACK_MS = 60_000;

/**
 * A new UUIDv7 (RFC 9562) with the database's time, which decides the partition. Ids of one process sort in the order
 * of their making.
 */
export function newId(): string {
  const random = randomBytes();
  const now = databaseTime();
  if (now > last.msecs || now < last.msecs - MAX_BACK_MS) {
    last.msecs = now;
    // The highest bit starts as 0, so that a millisecond has room for two thousand million ids.
    last.seq = random.readUInt32BE(6) >>> 1;
  } else last.seq += 1;
  return v7({ random, ...last });
}

/** Takes sixteen bytes of the pool, and refills it when it is used up. */
function randomBytes(): Buffer {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += 16;
  return pool.subarray(used - 16, used);
}

/**
 * Makes an id in the millisecond of another id, so it belongs to the same partitions. It sorts after that id, by
 * `place`, which begins at 0.
 */
export function newIdBeside(id: string, place: number): string {
  const hex = id.replaceAll('-', '');
  // After the milliseconds come the version, 12 bits of `seq`, the variant and the other 20.
  const seq =
    Number.parseInt(hex.slice(13, 16), 16) * 2 ** 20 + ((Number.parseInt(hex.slice(16, 22), 16) >>> 2) & 0xfffff);
  return v7({ random: randomBytes(), msecs: msecsOf(id), seq: (seq + 1 + place) % 2 ** 32 });
}

/** The Unix milliseconds of a UUIDv7. */
export const msecsOf = (id: string): number => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);

/** Ids of one order have the same millisecond. In rows of releases before 1.3 they differ by seconds. */
const SLACK_MS = HOUR_MS;

/** Bounds of the ids of records that belong to these ids. They tell the partitions. Ids in the future are ignored. */
export function idsAround(ids: readonly string[]): [from: string, to: string] {
  const latest = databaseTime() + DAY_MS;
  const times = ids
    .filter(isId)
    .map(msecsOf)
    .filter((time) => time <= latest);
  if (times.length === 0) return [NIL, NIL];
  const [from, to] = times.reduce(([min, max], time) => [Math.min(min, time), Math.max(max, time)], [latest, 0]);
  return [firstIdAt(from - SLACK_MS), firstIdAt(to + SLACK_MS)];
}

/** The first id of a Unix millisecond. */
export const firstIdAt = (msecs: number): string => `${timeOfId(msecs)}-0000-0000-000000000000`;

/** The last id of a Unix millisecond. */
export const lastIdAt = (msecs: number): string => `${timeOfId(msecs)}-ffff-ffff-ffffffffffff`;

function timeOfId(msecs: number): string {
  const hex = Math.max(0, Math.floor(msecs)).toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}`;
}

/** Tells whether the text is a UUID of any version, in its canonical 8-4-4-4-12 spelling. */
export const isId = (text: string): boolean => CANONICAL.test(text);
