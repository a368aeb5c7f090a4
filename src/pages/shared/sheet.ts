import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import { BYTE_ORDER_MARK, csvLine } from '../../files/csv.js';
import { cellBytes, csvRecords, FileError, openText } from '../../files/text-file.js';
import type { Upload } from '../forms.js';
import { type Text, sheetErrors as texts } from '../texts.js';

// Reads and writes files that people edit with a spreadsheet: orders of shippers, movements of operators.

/** Says in words for the sender why a file cannot be read. */
export class SheetError extends Error {
  override name = 'SheetError';

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

export interface Sheet {
  /** Names of columns. Empty for a column that is ignored. */
  headings: string[];
  rows: Row[];
}

export interface SheetForm {
  /** The column of a heading. `bare` is the heading without capitals and accents. Undefined for an unknown heading. */
  columnOf(bare: string, heading: string): string | undefined;
  /** The needed columns that `columns` lacks. */
  missing(columns: readonly string[]): readonly string[];
  maxRows: number;
}

const MAX_EMPTY = 10_000;
/** The first bytes of an XLSX or ODS file, which is not CSV. */
const ZIP = 'PK\u0003\u0004';
/** The column with the errors. It is ignored when a person sends the file again. */
const ERRORS = 'erros';

/** Reads CSV as spreadsheets write it, in UTF-8, UTF-16 or Windows-1252. Throws SheetError. */
export async function readSheet({ bytes }: Upload, form: SheetForm): Promise<Sheet> {
  const content = new TextDecoder(encodingOf(bytes)).decode(bytes);
  const [firstLine = ''] = content.split(/[\r\n]/, 1);
  if (firstLine.startsWith(ZIP)) throw new SheetError(texts.unreadable, '1');
  const delimiter = ([';', '\t'] as const).find((sign) => firstLine.includes(sign)) ?? ',';
  try {
    const file = await openText(Readable.from([Buffer.from(content)]));
    const rows: Row[] = [];
    for await (const { line, cells } of csvRecords(file, delimiter, MAX_EMPTY)) {
      if (cells.every((cell) => cell.trim() === '')) continue;
      rows.push({ line, cells: cells.map((cell) => cellBytes(cell).toString().trim()) });
      if (rows.length > form.maxRows + 1) throw new SheetError(texts.tooManyRows, String(form.maxRows));
    }
    const [head, ...others] = rows;
    const headings = headingsOf(head?.cells ?? [], form);
    if (others.length === 0) throw new SheetError(texts.noRows);
    return { headings, rows: others };
  } catch (error) {
    throw error instanceof FileError ? new SheetError(texts.unreadable, lineOf(error)) : error;
  }
}

function encodingOf(bytes: Buffer): string {
  const mark = bytes.toString('hex', 0, 2);
  if (mark === 'fffe') return 'utf-16le';
  if (mark === 'feff') return 'utf-16be';
  return isUtf8(bytes) ? 'utf-8' : 'windows-1252';
}

const lineOf = ({ message }: FileError): string => /^Row (\d+)/.exec(message)?.[1] ?? '';

function headingsOf(cells: readonly string[], { columnOf, missing }: SheetForm): string[] {
  const headings = cells.map((cell) => {
    const bare = cell.toLowerCase().normalize('NFD').replace(/\p{M}/gu, '');
    if (bare === '' || bare === ERRORS) return '';
    const column = columnOf(bare, cell);
    if (column === undefined) throw new SheetError(texts.unknownColumn, cell);
    return column;
  });
  const repeated = headings.find((heading, at) => heading !== '' && headings.indexOf(heading) < at);
  if (repeated !== undefined) throw new SheetError(texts.repeatedColumn, repeated);
  const absent = missing(headings);
  if (absent.length > 0) throw new SheetError(texts.missingColumns, absent.join(', '));
  return headings;
}

type Headed = Pick<Sheet, 'headings'>;

export const cellOf = ({ headings }: Headed, { cells }: Row, column = ''): string =>
  column === '' ? '' : (cells[headings.indexOf(column)] ?? '');

/** An error in a cell, in words. With an empty column, the error is about the whole row. */
export type CellError = Record<'column' | 'text', string>;

export type FaultyRow = Row & { errors: CellError[] };

const sheetText = (rows: readonly (readonly string[])[]): string =>
  BYTE_ORDER_MARK + rows.map((row) => csvLine(row)).join('');

/** A template file: the headings and one row of examples. */
export const templateOf = (columns: readonly { column: string; example: string }[]): string =>
  sheetText([columns.map(({ column }) => column), columns.map(({ example }) => example)]);

/** Makes a file of wrong rows, with the errors in the last column. A person corrects the rows and sends them again. */
export function faultyFile(sheet: Headed, rows: readonly FaultyRow[], shown = (_column: string, cell: string) => cell) {
  const headings = sheet.headings.filter((heading) => heading !== '');
  const lines = rows.map((row) => [
    ...headings.map((heading) => shown(heading, cellOf(sheet, row, heading))),
    row.errors.map(({ column, text }) => [column, text].filter(Boolean).join(': ')).join('; '),
  ]);
  return sheetText([[...headings, ERRORS], ...lines]);
}
