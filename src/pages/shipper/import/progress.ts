import { v5 } from 'uuid';
import { formatMoney, parseMoney } from '../../../base/money.js';
import { RefusalError } from '../../session/operations.js';
import { carrierOf, type Visit } from '../../session/visit.js';
import { detailText, faults, faultText, refusalText, orderFileErrors as texts } from '../../texts.js';
import type { OrderCreate } from '../fields.js';
import { cellOf, columnOf, fileFields, type OrderFile, orderOfRow, REFERENCE, type Row } from './file.js';

/** A fault of a cell. */
export type CellError = Record<'column' | 'text', string>;

type FaultyRow = Row & { errors: CellError[] };
/** A row that an order can be made of, at this price. */
type PricedRow = Row & { total: string };

/** Rows are checked first, then ordered; both in parts. */
export interface Progress {
  headings: string[];
  /** Address of the pickup of rows that name none. */
  pickup: string;
  count: number;
  unchecked: Row[];
  priced: PricedRow[];
  faulty: FaultyRow[];
  total: string;
  /** Ids of orders that this file made. */
  placed: string[];
  /** Rows whose order was there before. */
  earlier: number;
}

const atFirst: Progress = {
  headings: [],
  pickup: '',
  count: 0,
  unchecked: [],
  priced: [],
  faulty: [],
  total: '0.00',
  placed: [],
  earlier: 0,
};

/** Rows of a part: fewer than what may wait for the account's turn. */
const PART_ROWS = 100;
const NAMESPACE = '5d2c7a52-6c1a-4b63-9e57-0a5d2c0f7f11';

/** Finds what the file alone shows to be wrong: no operation sees a reference twice, or a word that means nothing. */
export function begin(file: OrderFile, pickup: string, { say }: Visit): Progress {
  const lines = new Map<string, number>();
  const errorsOf = (row: Row): CellError[] => {
    const reference = cellOf(file, row, REFERENCE);
    const first = lines.get(reference);
    lines.set(reference, first ?? row.line);
    const unknown = fileFields.filter(({ column, words }) => words && !words.test(cellOf(file, row, column)));
    return [
      ...(reference === '' ? [{ column: REFERENCE, text: say(faults.required) }] : []),
      ...(reference !== '' && first ? [{ column: REFERENCE, text: `${say(texts.repeatedReference)} ${first}` }] : []),
      ...unknown.map(({ column }) => ({ column, text: say(faults.unknown_value) })),
    ];
  };
  const rows = file.rows.map((row) => ({ ...row, errors: errorsOf(row) }));
  const unchecked = rows.flatMap(({ errors, ...row }) => (errors.length === 0 ? row : []));
  const faulty = rows.filter(({ errors }) => errors.length > 0);
  return { ...atFirst, headings: file.headings, pickup, count: rows.length, unchecked, faulty };
}

/** Estimates the next rows. Throws RefusalError where that should be tried again. */
export async function checkPart(visit: Visit, progress: Progress): Promise<Progress> {
  const { done, ...rest } = await eachOf(visit, progress, progress.unchecked, async (row, body) => {
    const { pricing, services = [] } = await visit.ask('POST /api/v1/estimates', { body });
    const { total } = services.find(({ service }) => service === body.service)?.pricing ?? pricing;
    return { ...row, total };
  });
  const centavos = done.reduce((sum, { total }) => sum + parseMoney(total), parseMoney(progress.total));
  return {
    ...rest,
    unchecked: progress.unchecked.slice(PART_ROWS),
    priced: [...progress.priced, ...done],
    total: formatMoney(centavos),
  };
}

/** Orders the next rows, each once however often its part or file is sent. Throws as `checkPart` does. */
export async function orderPart(visit: Visit, progress: Progress): Promise<Progress> {
  const { done, ...rest } = await eachOf(visit, progress, progress.priced, async ({ total }, order) => {
    const body: OrderCreate = { ...order, expected_total: total };
    const headers = { 'idempotency-key': v5(JSON.stringify(body), NAMESPACE) };
    return (await visit.ask('POST /api/v1/orders', { headers, body })).id;
  });
  return { ...rest, priced: progress.priced.slice(PART_ROWS), placed: [...progress.placed, ...done] };
}

const AGAIN = new Set(['RATE_LIMITED', 'UNAVAILABLE', 'INTERNAL_ERROR', 'UNAUTHENTICATED', 'FORBIDDEN']);

/** Does the work for the next rows, and sets refused ones aside. Throws RefusalError where the row is not the cause. */
async function eachOf<R extends Row, T>(
  visit: Visit,
  progress: Progress,
  rows: readonly R[],
  work: (row: R, order: OrderCreate) => Promise<T>,
): Promise<Progress & { done: T[] }> {
  const refused: FaultyRow[] = [];
  let { earlier } = progress;
  const results = rows.slice(0, PART_ROWS).map(async (row): Promise<T[]> => {
    try {
      return [await work(row, orderOfRow(progress, row))];
    } catch (error) {
      if (!(error instanceof RefusalError) || AGAIN.has(error.code)) throw error;
      if (error.reason === 'external_id_taken') earlier += 1;
      else refused.push({ line: row.line, cells: row.cells, errors: errorsOf(visit, error) });
      return [];
    }
  });
  const done = (await Promise.all(results)).flat();
  const faulty = [...progress.faulty, ...refused].sort((one, other) => one.line - other.line);
  return { ...progress, faulty, earlier, done };
}

function errorsOf({ say }: Visit, refusal: RefusalError): CellError[] {
  if (refusal.details.length === 0) return [{ column: '', text: say(refusalText(refusal)) }];
  return refusal.details.map((detail) => {
    const column = columnOf(detail.field);
    return column === undefined
      ? { column: '', text: detailText(detail, say) }
      : { column, text: faultText(detail, say) };
  });
}

export const { packed, unpacked } = carrierOf('file of orders', atFirst);
