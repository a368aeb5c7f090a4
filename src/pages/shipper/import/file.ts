import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import { cellBytes, csvRecords, FileError, openText } from '../../../base/movement-files/text-file.js';
import type { Text } from '../../language.js';
import type { Upload } from '../../session/forms.js';
import { orderFileErrors as texts } from '../../texts.js';
import { type OrderCreate, packageFields, packageOf } from '../fields.js';

/** The columns of a file of orders; each of its rows is an order of one package. */
const ownColumns = ['referencia', 'coleta', 'servico'];
const columns = [...ownColumns, ...packageFields.map(({ column }) => column)];
const required = ['referencia', ...packageFields.flatMap(({ isRequired, column }) => (isRequired ? column : []))];

const MOST_ROWS = 1_000;
const MOST_EMPTY = 10_000;

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

/** Reads CSV as spreadsheets write it, in UTF-8 or Windows-1252, with semicolons or commas. Throws OrderFileError. */
export async function readOrders({ bytes }: Upload): Promise<OrderFile> {
  const utf8 = isUtf8(bytes) ? bytes : Buffer.from(new TextDecoder('windows-1252').decode(bytes));
  try {
    const text = await openText(Readable.from([utf8]));
    const [firstLine = ''] = text.head.toString('latin1').split(/[\r\n]/, 1);
    const rows: Row[] = [];
    for await (const { line, cells } of csvRecords(text, firstLine.includes(';') ? ';' : ',', MOST_EMPTY)) {
      if (cells.every((cell) => cell.trim() === '')) continue;
      rows.push({ line, cells: cells.map((cell) => cellBytes(cell).toString().trim()) });
      if (rows.length > MOST_ROWS + 1) throw new OrderFileError(texts.tooManyRows, String(MOST_ROWS));
    }
    const [head, ...orders] = rows;
    const headings = checkHeadings(head?.cells ?? []);
    if (orders.length === 0) throw new OrderFileError(texts.noRows);
    return { headings, rows: orders };
  } catch (error) {
    throw error instanceof FileError ? new OrderFileError(texts.unreadable, lineOf(error)) : error;
  }
}

const lineOf = ({ message }: FileError): string => /^Row (\d+)/.exec(message)?.[1] ?? '';

function checkHeadings(cells: readonly string[]): string[] {
  // A file with the errors of an earlier one is sent again as it is.
  const headings = cells.map((cell) => cell.toLowerCase().normalize('NFD').replace(/\p{M}/gu, ''));
  const unknown = headings.findIndex((heading) => heading !== ERRORS && heading !== '' && !columns.includes(heading));
  if (unknown >= 0) throw new OrderFileError(texts.unknownColumn, cells[unknown]);
  const repeated = headings.find((heading, at) => heading !== '' && headings.indexOf(heading) < at);
  if (repeated !== undefined) throw new OrderFileError(texts.repeatedColumn, repeated);
  const missing = required.filter((column) => !headings.includes(column));
  if (missing.length > 0) throw new OrderFileError(texts.missingColumns, missing.join(', '));
  return headings;
}

/** The order of a row; `pickup` is the address of rows that name none. */
export function orderOf(headings: readonly string[], { cells }: Row, pickup: string): OrderCreate {
  const cell = (column: string) => cells[headings.indexOf(column)] ?? '';
  const columnOf = (path: string) => packageFields.find((field) => field.path === path)?.column ?? '';
  const service = cell('servico').toLowerCase();
  return {
    external_id: cell('referencia'),
    ...(/^econ[oô]mica$|^economy$/.test(service) && { service: 'economy' }),
    pickups: [{ address: { address: cell('coleta') || pickup } }],
    packages: [packageOf((path) => cell(columnOf(path)))],
  };
}

const ERRORS = 'erros';

const csvOf = (rows: readonly (readonly string[])[]): string =>
  `\uFEFF${rows.map((row) => `${row.map(csvCell).join(';')}\r\n`).join('')}`;

const csvCell = (value: string): string => `"${value.replaceAll('"', '""')}"`;

/** A file of rows with what is wrong with each in a last column, to be corrected and sent again. */
export function faultyFile(headings: readonly string[], rows: readonly (Row & { error: string })[]): string {
  const kept = headings.flatMap((heading, at) => (heading === ERRORS ? [] : at));
  const lines = rows.map(({ cells, error }) => [...kept.map((at) => cells[at] ?? ''), error]);
  return csvOf([[...kept.map((at) => headings[at] ?? ''), ERRORS], ...lines]);
}

export const templateFile = (): string =>
  csvOf([columns, ['PEDIDO-1', '', 'expressa', ...packageFields.map(({ example }) => example)]]);
