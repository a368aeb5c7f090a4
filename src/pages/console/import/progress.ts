import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { components } from '../../../../generated/operator.js';
import { parseJson } from '../../../base/values.js';
import { FileError } from '../../../files/text-file.js';
import { type Upload, unreadable } from '../../forms.js';
import type { RefusalError } from '../../operations.js';
import { type CellError, type FaultyRow, type Row, readSheet, type Sheet, SheetError } from '../../shared/sheet.js';
import { detailText, faultText, refusalText, sheetErrors as texts } from '../../texts.js';
import { carrierOf, type Visit } from '../../visit.js';
import { columnOf, JSON_COLUMN, type MovementInput, movementForm, movementOfRow, reader } from './file.js';

/** Maximum number of empty lines: to skip them costs time, too. */
const MAX_EMPTY = 10_000;
/** The largest batch that the contract allows. */
const PART_ROWS = 500;
/** Rows that are checked in one turn of the event loop. */
const ROWS_PER_TURN = 100;

/** The state of an import. The browser holds the rows until they are recorded. */
export interface Progress {
  name: string;
  headings: string[];
  /** All rows of the file, including wrong rows. */
  count: number;
  recorded: number;
  duplicate: number;
  faulty: FaultyRow[];
  /** Number of rows that are not sent yet. */
  left: number;
  /** The rows that are not sent yet, as JSON: one text per request, so that only the next one is parsed. */
  parts: string[];
}

const atFirst: Progress = {
  name: '',
  headings: [],
  count: 0,
  recorded: 0,
  duplicate: 0,
  faulty: [],
  left: 0,
  parts: [],
};

type Refused = Pick<RefusalError['details'][number], 'field' | 'code' | 'message'>;

/** Describes a fault in the reader's language, and names its column. */
function errorOf({ say }: Visit, sheet: Pick<Sheet, 'headings'>, detail: Refused): CellError {
  const column = columnOf(sheet, detail.field);
  return { column, text: column === '' ? detailText(detail, say) : faultText(detail, say) };
}

/** Reads a whole file and sets wrong rows aside. Throws SheetError. */
export async function begin(visit: Visit, { name, bytes }: Upload): Promise<Progress> {
  const isJson = /\.(ndjson|jsonl|json)$/i.test(name);
  const sheet = isJson ? await readJsonLines(bytes) : await readSheet({ name, bytes }, movementForm);
  const progress = { ...atFirst, name, headings: sheet.headings, count: sheet.rows.length };
  const rows: Row[] = [];
  const faulty: FaultyRow[] = [];
  for (const [at, row] of sheet.rows.entries()) {
    const result = reader.check(movementOfRow(sheet, row));
    if ('movement' in result) rows.push(row);
    else faulty.push({ ...row, errors: result.faults.map((fault) => errorOf(visit, sheet, fault)) });
    if (at % ROWS_PER_TURN === ROWS_PER_TURN - 1) await setImmediate();
  }
  const parts = Array.from({ length: Math.ceil(rows.length / PART_ROWS) }, (_, at) =>
    JSON.stringify(rows.slice(at * PART_ROWS, (at + 1) * PART_ROWS)),
  );
  return { ...progress, faulty, left: rows.length, parts };
}

/** Reads JSON Lines as a sheet of one column. */
async function readJsonLines(bytes: Buffer): Promise<Sheet> {
  const rows: Row[] = [];
  try {
    for await (const { line, ...row } of reader.rows(Readable.from([bytes]), 'ndjson', () => undefined, MAX_EMPTY)) {
      rows.push({ line, cells: ['value' in row && row.value !== undefined ? JSON.stringify(row.value) : ''] });
      if (rows.length > movementForm.maxRows) throw new SheetError(texts.tooManyRows, String(movementForm.maxRows));
    }
  } catch (error) {
    throw error instanceof FileError ? new SheetError(texts.unreadable) : error;
  }
  if (rows.length === 0) throw new SheetError(texts.noRows);
  return { headings: [JSON_COLUMN], rows };
}

export interface Part {
  rows: Row[];
  movements: MovementInput[];
}

const isRow = (value: object): value is Row => 'line' in value && 'cells' in value && Array.isArray(value.cells);

/** The rows and movements of the next request. Throws RefusalError if this page did not make the part. */
export function nextPart({ headings, parts: [part = ''] }: Progress): Part {
  const rows = parseJson(part);
  if (!Array.isArray(rows) || !rows.every(isRow)) throw unreadable();
  const movements = rows.map((row) => {
    const result = reader.check(movementOfRow({ headings }, row));
    if ('faults' in result) throw unreadable();
    return result.movement;
  });
  return { rows, movements };
}

type Result = components['schemas']['MovementResult'];

/** Adds the results of the sent part to the progress. */
export function afterPart(visit: Visit, progress: Progress, { rows }: Part, results: readonly Result[]): Progress {
  const refused = results.flatMap((result, at): FaultyRow[] => {
    const row = rows[at];
    return row && result.result === 'refused' ? [{ ...row, errors: [refusalOf(visit, progress, result)] }] : [];
  });
  const count = (wanted: string) => results.filter(({ result }) => result === wanted).length;
  return {
    ...progress,
    recorded: progress.recorded + count('recorded'),
    duplicate: progress.duplicate + count('duplicate'),
    faulty: [...progress.faulty, ...refused],
    left: progress.left - rows.length,
    parts: progress.parts.slice(1),
  };
}

/** Says why the service refused a movement, and in which column. */
function refusalOf(visit: Visit, sheet: Progress, result: Result): CellError {
  const { code = 'CONFLICT', reason = 'unspecified', field = '', field_code: fieldCode, message = '' } = result;
  if (reason === 'invalid_fields' && fieldCode) return errorOf(visit, sheet, { field, code: fieldCode, message });
  return { column: columnOf(sheet, field), text: visit.say(refusalText({ code, reason })) };
}

export const { packed, unpacked } = carrierOf('import of movements', atFirst);
