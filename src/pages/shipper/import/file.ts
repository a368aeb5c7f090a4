import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import { BYTE_ORDER_MARK, csvLine } from '../../../files/csv.js';
import { cellBytes, csvRecords, FileError, openText } from '../../../files/text-file.js';
import { grouped } from '../../export.js';
import type { Upload } from '../../forms.js';
import { type Text, orderFileErrors as texts } from '../../texts.js';
import { fileOnlyFields, type OrderCreate, orderFields, orderOf, packageFields } from '../fields.js';

/** The columns of a file of orders; each of its rows is an order of one package. */
export const fileFields = [...orderFields, ...packageFields, ...fileOnlyFields];
const columns = fileFields.map(({ column }) => column);
export const REFERENCE = 'referencia';
const required = [REFERENCE, ...packageFields.flatMap(({ isRequired, column }) => (isRequired ? column : []))];
const columnsByPath = new Map(fileFields.map(({ path, column }) => [path, column]));

/** The column of a field of `createOrder`; undefined for one that no column has. */
export const columnOf = (path: string): string | undefined =>
  path.startsWith(FACT) ? path : columnsByPath.get(nameOf(path));

const nameOf = (path: string): string =>
  path.replace(/^packages\.0\./, '').replace(/\.location$/, '.location.latitude');

/** Begins the columns of the shipper's own facts, which end in the fact's key. */
const FACT = 'metadata.';

const MAX_ROWS = 1_000;
const MAX_EMPTY = 10_000;
/** Begins the files of spreadsheets themselves. */
const ZIP = 'PK\u0003\u0004';

/** A file that cannot be read as orders, in words for the person who sent it. */
export class OrderFileError extends Error {
  override name = 'OrderFileError';

  constructor(
    readonly text: Text,
    readonly subject = '',
  ) {
    super(text.en);
  }
}

export interface Row {
  line: number;
  cells: string[];
}

export interface OrderFile {
  headings: string[];
  rows: Row[];
}

/** Reads CSV as spreadsheets write it, in UTF-8, UTF-16 or Windows-1252. Throws OrderFileError. */
export async function readOrders({ bytes }: Upload): Promise<OrderFile> {
  const content = new TextDecoder(encodingOf(bytes)).decode(bytes);
  const [firstLine = ''] = content.split(/[\r\n]/, 1);
  if (firstLine.startsWith(ZIP)) throw new OrderFileError(texts.unreadable, '1');
  const delimiter = ([';', '\t'] as const).find((sign) => firstLine.includes(sign)) ?? ',';
  try {
    const file = await openText(Readable.from([Buffer.from(content)]));
    const rows: Row[] = [];
    for await (const { line, cells } of csvRecords(file, delimiter, MAX_EMPTY)) {
      if (cells.every((cell) => cell.trim() === '')) continue;
      rows.push({ line, cells: cells.map((cell) => cellBytes(cell).toString().trim()) });
      if (rows.length > MAX_ROWS + 1) throw new OrderFileError(texts.tooManyRows, String(MAX_ROWS));
    }
    const [head, ...orders] = rows;
    const headings = checkHeadings(head?.cells ?? []);
    if (orders.length === 0) throw new OrderFileError(texts.noRows);
    return { headings, rows: orders };
  } catch (error) {
    throw error instanceof FileError ? new OrderFileError(texts.unreadable, lineOf(error)) : error;
  }
}

function encodingOf(bytes: Buffer): string {
  const mark = bytes.toString('hex', 0, 2);
  if (mark === 'fffe') return 'utf-16le';
  if (mark === 'feff') return 'utf-16be';
  return isUtf8(bytes) ? 'utf-8' : 'windows-1252';
}

const lineOf = ({ message }: FileError): string => /^Row (\d+)/.exec(message)?.[1] ?? '';

function checkHeadings(cells: readonly string[]): string[] {
  // A file with the errors of an earlier one is sent again as it is.
  const headings = cells.map((cell) => {
    const heading = cell.toLowerCase().normalize('NFD').replace(/\p{M}/gu, '');
    return heading.startsWith(FACT) ? FACT + cell.slice(FACT.length) : heading;
  });
  const isKnown = (heading: string) => [ERRORS, '', ...columns].includes(heading) || heading.startsWith(FACT);
  const unknown = headings.findIndex((heading) => !isKnown(heading));
  if (unknown >= 0) throw new OrderFileError(texts.unknownColumn, cells[unknown]);
  const repeated = headings.find((heading, at) => heading !== '' && headings.indexOf(heading) < at);
  if (repeated !== undefined) throw new OrderFileError(texts.repeatedColumn, repeated);
  const missing = required.filter((column) => !headings.includes(column));
  if (missing.length > 0) throw new OrderFileError(texts.missingColumns, missing.join(', '));
  return headings;
}

type Sheet = Pick<OrderFile, 'headings'>;

export const cellOf = ({ headings }: Sheet, { cells }: Row, column = ''): string =>
  column === '' ? '' : (cells[headings.indexOf(column)] ?? '');

/** The order of a row; `pickup` has the fields of the pickup of rows that name none. */
export function orderOfRow(sheet: Sheet & { pickup: Readonly<Record<string, string>> }, row: Row): OrderCreate {
  const textOf = (path: string) => cellOf(sheet, row, columnOf(path));
  const pickup = textOf('pickups.0.address.address') === '' ? sheet.pickup : {};
  const order = orderOf((path) => textOf(path) || (pickup[path] ?? ''));
  const facts = sheet.headings.flatMap((heading) => {
    const value = heading.startsWith(FACT) ? cellOf(sheet, row, heading) : '';
    return value === '' ? [] : [[heading.slice(FACT.length), value] as const];
  });
  return facts.length === 0 ? order : { ...order, metadata: Object.fromEntries(facts) };
}

const ERRORS = 'erros';

const csvOf = (rows: readonly (readonly string[])[]): string =>
  BYTE_ORDER_MARK + rows.map((row) => csvLine(row)).join('');

/** A file of rows with each row's errors in a last column, to be corrected and sent again. */
export function faultyFile(sheet: Sheet, rows: readonly (Row & { error: string })[]): string {
  const headings = sheet.headings.filter((heading) => heading !== ERRORS && heading !== '');
  const kept = (row: Row, heading: string): string => {
    const cell = cellOf(sheet, row, heading);
    // A spreadsheet would keep 15 of its 44 digits.
    return heading === columnOf('fiscal_document.key') ? grouped(cell.replaceAll(' ', '')) : cell;
  };
  const lines = rows.map((row) => [...headings.map((heading) => kept(row, heading)), row.error]);
  return csvOf([[...headings, ERRORS], ...lines]);
}

export const templateFile = (): string => csvOf([columns, fileFields.map(({ example }) => example)]);
