import { Readable } from 'node:stream';
import type { components } from '../../../../generated/operator.js';
import document from '../../../../generated/operator.openapi.json' with { type: 'json' };
import { parseJson } from '../../../base/values.js';
import { movementReader } from '../../../files/movement-rows.js';
import { FileError } from '../../../files/text-file.js';
import { type Upload, unreadable } from '../../forms.js';
import { RefusalError } from '../../operations.js';
import { carrierOf } from '../../visit.js';

type MovementInput = components['schemas']['MovementInput'];

const reader = movementReader<MovementInput>(document);

const MAX_ROWS = 10_000;
/** Lines without text cost time, too. */
const MAX_EMPTY = 10_000;
/** The contract's largest batch. */
const PART_ROWS = 500;

export interface RefusedRow {
  line: number;
  id?: string;
  code: string;
  message: string;
}

/** The state of an import: no row is stored that is not recorded. */
export interface Progress {
  name: string;
  /** Rows of the file, wrong ones too. */
  rows: number;
  recorded: number;
  duplicate: number;
  refusals: RefusedRow[];
  /** Movements to be sent. */
  left: number;
  /** The same as JSON, a request in each text: only the next one is read. */
  parts: string[];
}

const atFirst = (name: string): Progress => ({
  name,
  rows: 0,
  recorded: 0,
  duplicate: 0,
  refusals: [],
  left: 0,
  parts: [],
});

type PartRow = [line: number, movement: MovementInput];

/** Reads a whole file, and refuses rows that break the contract. Throws RefusalError for a file without rows. */
export async function begin({ name, bytes }: Upload): Promise<Progress> {
  const progress = atFirst(name);
  const format = name.toLowerCase().endsWith('.csv') ? 'csv' : 'ndjson';
  let part: PartRow[] = [];
  const endPart = () => {
    if (part.length > 0) progress.parts.push(JSON.stringify(part));
    progress.left += part.length;
    part = [];
  };
  try {
    for await (const { line, ...row } of reader.rows(Readable.from([bytes]), format, () => undefined, MAX_EMPTY)) {
      const result = 'fault' in row ? row : reader.check(row.value);
      if ('movement' in result) part.push([line, result.movement]);
      else progress.refusals.push({ line, code: 'VALIDATION_ERROR', message: shortened(result.fault) });
      if (part.length === PART_ROWS) endPart();
      progress.rows += 1;
      if (progress.rows > MAX_ROWS) throw new FileError(`The file has more than ${MAX_ROWS} rows.`);
    }
  } catch (error) {
    throw error instanceof FileError ? new RefusalError('MALFORMED_REQUEST', 'body_malformed', error.message) : error;
  }
  endPart();
  if (progress.rows === 0) throw new RefusalError('MALFORMED_REQUEST', 'body_malformed', 'The file has no rows.');
  return progress;
}

const MAX_FAULT = 300;

const shortened = (fault: string): string => fault.slice(0, MAX_FAULT).toWellFormed();

export function nextPart({ parts: [part = ''] }: Progress): PartRow[] {
  const rows = parseJson(part);
  if (!Array.isArray(rows)) throw unreadable();
  return rows.map((row) => {
    const [line, value] = Array.isArray(row) ? row : [];
    const result = reader.check(value);
    if ('fault' in result) throw unreadable();
    return [Number(line), result.movement];
  });
}

type Result = components['schemas']['MovementResult'];

/** The progress after the answer to `rows`, the next part. */
export function afterPart(progress: Progress, rows: readonly PartRow[], results: readonly Result[]): Progress {
  const refusals = results.flatMap(({ result, id, code = 'CONFLICT', message = '', field }, at): RefusedRow[] => {
    const [line = 0] = rows[at] ?? [];
    return result === 'refused' ? [{ line, id, code, message: field ? `${field}: ${message}` : message }] : [];
  });
  const count = (wanted: string) => results.filter(({ result }) => result === wanted).length;
  return {
    ...progress,
    recorded: progress.recorded + count('recorded'),
    duplicate: progress.duplicate + count('duplicate'),
    refusals: [...progress.refusals, ...refusals],
    left: progress.left - rows.length,
    parts: progress.parts.slice(1),
  };
}

export const { packed, unpacked } = carrierOf('import of movements', atFirst(''));
