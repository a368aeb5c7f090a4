import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { csvRecords } from './csv.js';
import { wrongUsage } from './failures.js';

export const movementFormats = ['ndjson', 'csv'] as const;
export type MovementFormat = (typeof movementFormats)[number];

/** What stands on a line of a file of movements; `value` is undefined where it cannot be read. */
export interface MovementRow {
  line: number;
  value: unknown;
}

/** The movements of a file in the contract's names; CSV has them as headings, dotted where nested (`location.city`). */
export function movementRows(input: Readable, format: MovementFormat): AsyncGenerator<MovementRow> {
  input.setEncoding('utf8');
  return format === 'csv' ? fromCsv(input) : fromNdjson(input);
}

async function* fromNdjson(input: Readable): AsyncGenerator<MovementRow> {
  let line = 0;
  for await (const text of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    line += 1;
    if (text.trim() !== '') yield { line, value: json(text) };
  }
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

async function* fromCsv(input: Readable): AsyncGenerator<MovementRow> {
  let headings: string[] | undefined;
  for await (const { line, cells } of csvRecords(input)) {
    if (headings) yield { line, value: nested(headings, cells) };
    else headings = cells.map((cell) => cell.trim());
    if (!headings.includes('loggi_key'))
      throw wrongUsage('The first line of a CSV file names its columns, as loggi_key.');
  }
}

function nested(headings: readonly string[], cells: readonly string[]): unknown {
  if (cells.length > headings.length) return undefined;
  return movementOf(Object.fromEntries(headings.map((heading, at) => [heading, cells[at] ?? ''])));
}

/** A movement from fields by dotted path, all of them text; those that are empty or undefined are left out. */
export function movementOf(fields: Readonly<Record<string, string | undefined>>): Record<string, unknown> {
  const movement: Record<string, unknown> = {};
  for (const [path, text] of Object.entries(fields)) {
    if (text === undefined || text === '') continue;
    const [name = '', inner] = path.split('.', 2);
    if (inner === undefined) movement[name] = name === 'status_code' && /^\d{1,9}$/.test(text) ? Number(text) : text;
    else movement[name] = { ...objectOf(movement[name]), [inner]: text };
  }
  return movement;
}

const objectOf = (value: unknown): object => (typeof value === 'object' && value !== null ? value : {});
