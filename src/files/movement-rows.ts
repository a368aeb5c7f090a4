import { isUtf8 } from 'node:buffer';
import type { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { v5 } from 'uuid';
import { type FieldError, ServiceError } from '../base/errors.js';
import { isFields } from '../base/values.js';
import { type BodyBounds, bodyBounds } from '../validation/bounds.js';
import { resolve } from '../validation/document.js';
import { fieldFaults, formats } from '../validation/field-errors.js';
import { readJson } from '../validation/read-json.js';
import { type ReadValue, valueReading } from '../validation/read-value.js';
import { cellBytes, csvRecords, FileError, linesOf, openText, type TextFile } from './text-file.js';

export const movementFormats = ['ndjson', 'csv'] as const;
export type MovementFormat = (typeof movementFormats)[number];

/**
 * A line of a file of movements: its value, or the reason why it cannot be read. The value is undefined if it is not
 * JSON.
 */
export type MovementRow = { line: number } & ({ value: unknown } | { fault: string });

/** Rows that are read and checked in one turn of the event loop: a few milliseconds of work. */
const ROWS_PER_TURN = 100;

/**
 * Makes a reader for files of movements. `MovementInput` of the document describes a movement; `Movement` is its type.
 */
export function movementReader<Movement>(document: object) {
  let isMovement: ValidateFunction<Movement> | undefined;
  let bounds: BodyBounds | undefined;
  let read: ReadValue | undefined;
  const boundsOf = () => {
    bounds ??= bodyBounds(document, { $ref: SCHEMA });
    return bounds;
  };
  return {
    /**
     * Reads the movements of a file, with the names of the contract. CSV has these names as headings, with dots for
     * nested fields (`location.city`). `say` receives a sentence about unusual forms. Throws FileError for a file
     * without readable rows, or with more than `maxEmpty` empty lines.
     */
    rows: async function* (
      input: Readable,
      format: MovementFormat,
      say: (sentence: string) => void,
      maxEmpty = Number.POSITIVE_INFINITY,
    ): AsyncGenerator<MovementRow> {
      const text = await openText(input);
      const rows =
        format === 'csv' ? fromCsv(text, columnsOf(document), say, maxEmpty) : fromNdjson(text, boundsOf(), maxEmpty);
      let count = 0;
      for await (const row of rows) {
        yield row;
        count += 1;
        if (count % ROWS_PER_TURN === 0) await setImmediate();
      }
    },
    /**
     * Checks a movement. One without `id` gets an id from its content, so the same file again records nothing twice.
     */
    check: (value: unknown): { movement: Movement } | { faults: readonly FieldError[] } => {
      if (!isFields(value)) return { faults: [{ field: '', code: 'type', message: 'is not a movement' }] };
      const { fieldErrors } = boundsOf().trim(value);
      if (fieldErrors.length > 0) return { faults: fieldErrors.slice(0, MAX_FAULTS) };
      isMovement ??= validatorOf(document);
      read ??= valueReading(document, { $ref: SCHEMA });
      // The id follows from the content as it stands in the file.
      const movement = read('id' in value ? value : { id: v5(JSON.stringify(value), NAMESPACE), ...value });
      if (!isMovement(movement)) return { faults: fieldFaults(isMovement.errors, document) };
      const names = packageNames.filter((name) => name in value);
      if (names.length === 1) return { movement };
      const code = names.length === 0 ? 'required' : 'contradiction';
      return {
        faults: [{ field: names[1] ?? 'barcode', code, message: `must have one of ${packageNames.join(', ')}` }],
      };
    },
    /** The fields of a movement, with dots for nested fields. */
    columns: () => columnsOf(document),
  };
}

/** Names of a package. A movement has exactly one of them. */
const packageNames = ['loggi_key', 'tracking_code', 'barcode'];

const MAX_FAULTS = 10;

/** Writes the faults of a row on one line. */
export const faultsText = (faults: readonly FieldError[]): string =>
  faults.map(({ field, message }) => [field, message].filter(Boolean).join(' ')).join('; ');

const SCHEMA = '#/components/schemas/MovementInput';

function columnsOf(document: object): string[] {
  const propertiesOf = (schema: unknown): [string, unknown][] => {
    const node = resolve(document, schema);
    return isFields(node) && isFields(node['properties']) ? Object.entries(node['properties']) : [];
  };
  return propertiesOf({ $ref: SCHEMA }).flatMap(([name, schema]) => {
    const nested = propertiesOf(schema).map(([inner]) => `${name}.${inner}`);
    return nested.length > 0 ? nested : [name];
  });
}

async function* fromNdjson(text: TextFile, bounds: BodyBounds, maxEmpty: number): AsyncGenerator<MovementRow> {
  for await (const { line, bytes } of linesOf(text, maxEmpty)) yield { line, ...lineOf(bytes, bounds) };
}

function lineOf(bytes: Buffer, bounds: BodyBounds): { value: unknown } | { fault: string } {
  if (!isUtf8(bytes)) return { fault: 'is not UTF-8' };
  try {
    const { value, excess } = readJson(bytes, bounds);
    if (excess === undefined) return { value };
    return { fault: excess === 'values' ? `holds more than ${bounds.maxValues} values` : `holds too many ${excess}` };
  } catch (error) {
    if (error instanceof ServiceError) return { value: undefined };
    throw error;
  }
}

async function* fromCsv(
  text: TextFile,
  columns: readonly string[],
  say: (sentence: string) => void,
  maxEmpty: number,
): AsyncGenerator<MovementRow> {
  const delimiter = delimiterOf(text.head);
  const ways = [
    ...(text.hasByteOrderMark ? ['with a byte order mark'] : []),
    ...(delimiter === ';' ? ['columns separated by semicolons'] : []),
  ];
  if (ways.length > 0) say(`The file is read as CSV ${ways.join(', ')}.`);
  let headings: string[] | undefined;
  for await (const { line, cells } of csvRecords(text, delimiter, maxEmpty)) {
    if (headings) yield { line, ...rowOf(headings, cells) };
    else headings = headingsOf(cells, columns);
  }
}

/**
 * The delimiter in the first line. Spreadsheets use semicolons where the comma is the decimal sign; no heading has
 * either.
 */
function delimiterOf(head: Buffer): ',' | ';' {
  const [firstLine = ''] = head.toString('latin1').split(/[\r\n]/, 1);
  return firstLine.includes(';') ? ';' : ',';
}

function headingsOf(cells: readonly string[], columns: readonly string[]): string[] {
  const headings = cells.map((cell) => cellBytes(cell).toString().trim());
  const unknown = headings.findIndex((heading) => !columns.includes(heading));
  if (unknown >= 0) {
    throw new FileError(
      `Row 1, column ${unknown + 1} is no field of a movement. The fields are ${columns.join(', ')}.`,
    );
  }
  const repeated = headings.findIndex((heading, at) => headings.indexOf(heading) < at);
  if (repeated >= 0) throw new FileError(`Row 1, column ${repeated + 1} stands there twice.`);
  if (!packageNames.some((name) => headings.includes(name))) {
    throw new FileError(`The first line of a CSV file names its columns, ${packageNames.join(' or ')} among them.`);
  }
  return headings;
}

function rowOf(headings: readonly string[], texts: readonly string[]): { value: unknown } | { fault: string } {
  if (texts.length !== headings.length) {
    return { fault: `has ${texts.length} columns where the first row has ${headings.length}` };
  }
  const cells = texts.map(cellBytes);
  const wrong = cells.findIndex((cell) => !isUtf8(cell));
  if (wrong >= 0) {
    return { fault: `column ${wrong + 1} (${headings[wrong]}) is not UTF-8; save the file as CSV in UTF-8` };
  }
  return { value: movementOf(Object.fromEntries(headings.map((heading, at) => [heading, cells[at]?.toString()]))) };
}

/** Makes a movement from text fields by dotted path. Leaves out fields that are empty or undefined. */
export function movementOf(fields: Readonly<Record<string, string | undefined>>): Record<string, unknown> {
  const movement: Record<string, unknown> = {};
  for (const [path, text] of Object.entries(fields)) {
    if (text === undefined || text === '') continue;
    const [name = '', inner] = path.split('.', 2);
    if (inner === undefined) movement[name] = name === 'status_code' && /^\d{1,9}$/.test(text) ? Number(text) : text;
    else {
      const value = inner === 'position' ? positionOf(text) : text;
      movement[name] = { ...(isFields(movement[name]) ? movement[name] : {}), [inner]: value };
    }
  }
  return movement;
}

/**
 * Parses `latitude,longitude` or `latitude,longitude,accuracy`. Returns other texts unchanged, and these are invalid.
 */
function positionOf(text: string): unknown {
  const [latitude, longitude, accuracy, ...more] = text
    .split(',')
    .map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  const numbers = [latitude, longitude, accuracy ?? 0];
  if (more.length > 0 || !numbers.every(Number.isFinite)) return text;
  return { latitude, longitude, ...(accuracy !== undefined && { accuracy }) };
}

// Any UUID, but it must never change: the ids of movements without an id follow from it.
const NAMESPACE = '0d7a4f0e-5a5c-4c39-9d4b-7d0c1f5b8a61';

function validatorOf<Movement>(document: object): ValidateFunction<Movement> {
  const ajv = new Ajv({ strict: false, validateSchema: false, allErrors: true, formats: { ...formats } });
  addFormats.default(ajv);
  ajv.addSchema(document, 'contract');
  return ajv.compile<Movement>({ $ref: `contract${SCHEMA}` });
}
