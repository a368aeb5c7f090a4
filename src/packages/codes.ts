import { hkdfSync } from 'node:crypto';
import { sql } from 'kysely';
import type { KeyRing } from '../base/secrets/keys.js';
import type { Db } from '../db/connect.js';
import { ff1, type Halves } from './permutation.js';

/** The codes on a package's label, computed from its number in the sequence `package_number`. */
export interface PackageCodes {
  /** Twelve characters of Crockford's base 32. The last one is a check character. */
  trackingCode: string;
  /** Eighteen digits. The last one is the check digit of GS1. */
  barcode: string;
}

type CodeMaker = (numbers: readonly bigint[]) => PackageCodes[];

/**
 * Makes codes from numbers by a permutation under the ring's first key, so a code does not tell the next one. Under
 * another key, another number may have the same code: with a billion packages of that key, one new code in 36 million.
 * The unique constraints of the database find that, and the order gets other numbers.
 */
export function codeMaker([{ secret }]: KeyRing): CodeMaker {
  const key = Buffer.from(hkdfSync('sha256', secret, '', 'malote codes of packages', 32));
  const trackingNumbers = ff1(key, { radix: 32, length: 11 });
  const barcodeNumbers = ff1(key, { radix: 10, length: 17 });
  return (numbers) => {
    const barcodes = barcodeNumbers(numbers).map(barcodeOf);
    return trackingNumbers(numbers).map((halves, at) => ({
      trackingCode: trackingCodeOf(halves),
      barcode: barcodes[at] ?? '',
    }));
  };
}

/** Crockford's base 32, without I, L, O and U. */
const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

function trackingCodeOf({ left, right }: Halves): string {
  const text = `${symbolsOf(left, 5)}${symbolsOf(right, 6)}`;
  return `${text}${CROCKFORD[checkValueOf(text)]}`;
}

function symbolsOf(number: number, length: number): string {
  let symbols = '';
  for (let shift = 5 * (length - 1); shift >= 0; shift -= 5) symbols += CROCKFORD[(number >>> shift) & 31];
  return symbols;
}

/**
 * The check value of eleven characters: a linear code over GF(32) with x⁵ + x² + 1 = 0. The n-th character from the end
 * has the weight xⁿ. It detects every wrong character and every swap of two.
 */
function checkValueOf(text: string): number {
  let sum = 0;
  for (const symbol of text) {
    const shifted = (sum ^ CROCKFORD.indexOf(symbol)) << 1;
    sum = shifted > 31 ? shifted ^ 0b100101 : shifted;
  }
  return sum;
}

function barcodeOf({ left, right }: Halves): string {
  const digits = `${String(left).padStart(8, '0')}${String(right).padStart(9, '0')}`;
  return `${digits}${gs1CheckDigitOf(digits)}`;
}

function gs1CheckDigitOf(digits: string): number {
  let sum = 0;
  for (let at = 0; at < digits.length; at += 1) sum += Number(digits[at]) * (at % 2 === 0 ? 3 : 1);
  return (10 - (sum % 10)) % 10;
}

/** Numbers drawn in one query. Unused numbers leave a harmless gap. */
const DRAWN_AT_ONCE = 256;

export interface CodeSource {
  /** Takes codes that no other package gets under this key: each number goes to one process only. */
  take(db: Db, count: number): Promise<PackageCodes[]>;
  /** Forgets the stored codes. After a failover to a delayed standby, other processes may have drawn the same. */
  drop(db: Db): void;
}

export function createCodeSource(ring: KeyRing): CodeSource {
  const make = codeMaker(ring);
  const stores = new WeakMap<object, PackageCodes[]>();

  async function take(db: Db, count: number): Promise<PackageCodes[]> {
    const store = stores.get(keyOf(db)) ?? [];
    stores.set(keyOf(db), store);
    if (store.length < count) store.push(...make(await drawNumbers(db, Math.max(count, DRAWN_AT_ONCE))));
    return store.splice(-count);
  }

  return { take, drop: (db) => void stores.delete(keyOf(db)) };
}

async function drawNumbers(db: Db, count: number): Promise<bigint[]> {
  const { rows } = await sql<{ number: string }>`
    select nextval('package_number') as number from generate_series(1, ${count}::integer)`.execute(db);
  return rows.map(({ number }) => BigInt(number));
}

/** A key that a pool and all transactions on it share. */
const keyOf = (db: Db): object => db.getExecutor().adapter;
