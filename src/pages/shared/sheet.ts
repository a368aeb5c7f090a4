import { isUtf8 } from 'node:buffer';
import { Readable } from 'node:stream';
import { BYTE_ORDER_MARK, csvLine } from '../../files/csv.js';
import { cellBytes, csvRecords, FileError, openText } from '../../files/text-file.js';
import type { Upload } from '../forms.js';
import { type Text, sheetErrors as texts } from '../texts.js';

// Files that people make with a spreadsheet: orders of shippers, movements of operators.

/** A file that cannot be read as such a sheet, in words for the person who sent it. */
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
  /** Names of columns; empty for a column that is not read. */
  headings: string[];
  rows: Row[];
}

export interface SheetForm {
  /** The column of a heading, bare of capitals and accents; undefined for one that is not known. */
  columnOf(bare: string, heading: string): string | undefined;
  /** Columns that a file lacks. */
  missing(columns: readonly string[]): readonly string[];
  maxRows: number;
}

const MAX_EMPTY = 10_000;
/** Begins the files of spreadsheets themselves. */
const ZIP = 'PK\u0003\u0004';
/** The column of a file of wrong rows, which is sent again as it is. */
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

/** A fault of a cell, in words; without a column it is one of the whole row. */
export type CellError = Record<'column' | 'text', string>;

export type FaultyRow = Row & { errors: CellError[] };

const sheetText = (rows: readonly (readonly string[])[]): string =>
  BYTE_ORDER_MARK + rows.map((row) => csvLine(row)).join('');

/** A file with these columns and a row of examples, to be filled in. */
export const templateOf = (columns: readonly { column: string; example: string }[]): string =>
  sheetText([columns.map(({ column }) => column), columns.map(({ example }) => example)]);

/** A file of wrong rows with their errors in a last column, to be corrected and sent again. */
export function faultyFile(sheet: Headed, rows: readonly FaultyRow[], shown = (_column: string, cell: string) => cell) {
  const headings = sheet.headings.filter((heading) => heading !== '');
  const lines = rows.map((row) => [
    ...headings.map((heading) => shown(heading, cellOf(sheet, row, heading))),
    row.errors.map(({ column, text }) => [column, text].filter(Boolean).join(': ')).join('; '),
  ]);
  return sheetText([[...headings, ERRORS], ...lines]);
}
