import { randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';
import { cellOfProcess } from './cell.js';

// Upper case is accepted because PostgreSQL compares uuid values, not their spelling.
const CANONICAL = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

// Asking the system for the randomness of one id costs more than making the id of it.
const pool = Buffer.alloc(4096);
let used = pool.length;

const last = { msecs: 0, seq: 0 };

/**
 * A new UUIDv7 (RFC 9562): ids made later by one process sort later. In a cell but 0 the last byte is the cell's number, in cell 0 it
 * is random like the six before it.
 */
export function newId(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  const random = pool.subarray(used, used + 16);
  used += 16;
  if (cellOfProcess() !== 0) random[15] = cellOfProcess();
  const now = Date.now();
  if (now > last.msecs) {
    last.msecs = now;
    // Of the 32 bits the highest starts as 0: a millisecond has room for two thousand million ids.
    last.seq = random.readUInt32BE(6) >>> 1;
  } else last.seq += 1;
  return v7({ random, ...last });
}

/** Whether the text is a UUID in its canonical 8-4-4-4-12 spelling, of any version. */
export function isId(text: string): boolean {
  return CANONICAL.test(text);
}
