import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { promisify } from 'node:util';
import { deflateRaw, inflateRaw } from 'node:zlib';
import type { components } from '../../../../generated/operator.js';
import document from '../../../../generated/operator.openapi.json' with { type: 'json' };
import { malformed } from '../../../base/errors.js';
import { isFields, parseJson } from '../../../base/values.js';
import { movementReader } from '../../../packages/movement-files/rows.js';
import { FileError } from '../../../packages/movement-files/text-file.js';
import type { Upload } from '../forms.js';
import { RefusalError } from '../operations.js';

type MovementInput = components['schemas']['MovementInput'];

const reader = movementReader<MovementInput>(document);

const MOST_ROWS = 10_000;
/** The contract's largest batch. */
const PART_ROWS = 500;
// What is had from 2 MiB of CSV, in which fields have no names.
const MOST_STATE_BYTES = 16_777_216;

/** A row that was not recorded, and why. */
export interface RefusedRow {
  line: number;
  id?: string;
  code: string;
  message: string;
}

/**
 * How far an import has come. It goes to the browser with each page, packed, and comes back with the next form: no process keeps it, and
 * no row is stored that is not recorded. Whoever alters it alters what they send themselves; each row is checked again.
 */
export interface Progress {
  name: string;
  /** Of the file, wrong ones too. */
  rows: number;
  recorded: number;
  duplicate: number;
  refusals: RefusedRow[];
  /** Movements that are still to be sent, with the lines that they stand on. */
  rest: [line: number, movement: unknown][];
}

/** Reads a file whole, and sorts out what the contract does not allow. Throws RefusalError for what no row can be read from. */
export async function begin({ name, bytes }: Upload): Promise<Progress> {
  const progress: Progress = { name, rows: 0, recorded: 0, duplicate: 0, refusals: [], rest: [] };
  const format = name.toLowerCase().endsWith('.csv') ? 'csv' : 'ndjson';
  try {
    for await (const { line, ...row } of reader.rows(Readable.from([bytes]), format, () => undefined)) {
      const result = 'fault' in row ? row : reader.check(row.value);
      if ('movement' in result) progress.rest.push([line, result.movement]);
      else progress.refusals.push({ line, code: 'VALIDATION_ERROR', message: shortened(result.fault) });
      progress.rows += 1;
      // Ten thousand rows take some tenths of a second, in which others are answered, too.
      if (progress.rows % PART_ROWS === 0) await setImmediate();
      if (progress.rows > MOST_ROWS) throw new FileError(`The file has more than ${MOST_ROWS} rows.`);
    }
  } catch (error) {
    throw error instanceof FileError ? new RefusalError('MALFORMED_REQUEST', error.message) : error;
  }
  if (progress.rows === 0) throw new RefusalError('MALFORMED_REQUEST', 'The file has no rows.');
  return progress;
}

const LONGEST_FAULT = 300;

const shortened = (fault: string): string => fault.slice(0, LONGEST_FAULT).toWellFormed();

/** The next rows to be sent, as one request takes them. */
export const nextPart = ({ rest }: Progress): MovementInput[] =>
  rest.slice(0, PART_ROWS).map(([, value]) => {
    const result = reader.check(value);
    if ('fault' in result) throw malformed('The form cannot be read.');
    return result.movement;
  });

type Result = components['schemas']['MovementResult'];

/** The progress after the next part was answered. */
export function afterPart(progress: Progress, results: readonly Result[]): Progress {
  const refusals = results.flatMap(({ result, id, code = 'CONFLICT', message = '', field }, at): RefusedRow[] => {
    const line = progress.rest[at]?.[0] ?? 0;
    return result === 'refused' ? [{ line, id, code, message: field ? `${field}: ${message}` : message }] : [];
  });
  const count = (wanted: string) => results.filter(({ result }) => result === wanted).length;
  return {
    ...progress,
    recorded: progress.recorded + count('recorded'),
    duplicate: progress.duplicate + count('duplicate'),
    refusals: [...progress.refusals, ...refusals],
    rest: progress.rest.slice(results.length),
  };
}

export const packed = async (progress: Progress): Promise<string> =>
  (await promisify(deflateRaw)(JSON.stringify(progress))).toString('base64url');

/** Throws MALFORMED_REQUEST for what `packed` did not make. */
export async function unpacked(text: string): Promise<Progress> {
  const bytes = await promisify(inflateRaw)(Buffer.from(text, 'base64url'), {
    maxOutputLength: MOST_STATE_BYTES,
  }).catch((error: unknown) => {
    throw malformed('The form cannot be read.', error);
  });
  const value = parseJson(bytes.toString());
  if (!isProgress(value)) throw malformed('The form cannot be read.');
  return value;
}

const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;

function isProgress(value: unknown): value is Progress {
  if (!isFields(value) || typeof value['name'] !== 'string') return false;
  const { rows, recorded, duplicate, refusals, rest } = value;
  return (
    [rows, recorded, duplicate].every(isCount) &&
    Array.isArray(refusals) &&
    refusals.every(isRefusal) &&
    Array.isArray(rest) &&
    rest.every((each) => Array.isArray(each) && isCount(each[0]))
  );
}

const isRefusal = (value: unknown): value is RefusedRow =>
  isFields(value) &&
  isCount(value['line']) &&
  (value['id'] === undefined || typeof value['id'] === 'string') &&
  typeof value['code'] === 'string' &&
  typeof value['message'] === 'string';
