import { v5 } from 'uuid';
import { malformed } from '../../../base/errors.js';
import { formatMoney, parseMoney } from '../../../base/money.js';
import { isFields, parseJson } from '../../../base/values.js';
import * as carried from '../../session/carried.js';
import { dataOf, RefusalError } from '../../session/operations.js';
import type { Visit } from '../../session/visit.js';
import { detailTexts, refusals, orderFileErrors as texts } from '../../texts.js';
import { labelOf, type OrderCreate } from '../fields.js';
import { type OrderFile, orderOf, type Row } from './file.js';

/** A fault of a cell. */
export interface CellError {
  column: string;
  text: string;
}

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

/** Rows of a part: fewer than what may wait for the account's turn. */
const PART_ROWS = 100;
const NAMESPACE = '5d2c7a52-6c1a-4b63-9e57-0a5d2c0f7f11';
const PURPOSE = 'file of orders';

export function begin({ headings, rows }: OrderFile, pickup: string, { say }: Visit): Progress {
  const at = headings.indexOf('referencia');
  const lines = new Map<string, number>();
  const errorOf = ({ cells, line }: Row): CellError | undefined => {
    const reference = cells[at] ?? '';
    if (reference === '') return { column: 'referencia', text: say(detailTexts['required'] ?? texts.wrong) };
    const first = lines.get(reference);
    lines.set(reference, first ?? line);
    return first === undefined ? undefined : { column: 'referencia', text: `${say(texts.repeatedReference)} ${first}` };
  };
  const judged = rows.map((row) => ({ row, error: errorOf(row) }));
  return {
    headings,
    pickup,
    count: rows.length,
    unchecked: judged.flatMap(({ row, error }) => (error ? [] : row)),
    priced: [],
    faulty: judged.flatMap(({ row, error }) => (error ? { ...row, errors: [error] } : [])),
    total: '0.00',
    placed: [],
    earlier: 0,
  };
}

/** Estimates the next rows. Throws RefusalError where that should be tried again. */
export async function checkPart(visit: Visit, progress: Progress): Promise<Progress> {
  const rows = progress.unchecked.slice(0, PART_ROWS);
  const results = await eachOf(rows, async (row) => {
    const body = orderOf(progress.headings, row, progress.pickup);
    const { pricing, services = [] } = await dataOf(visit.rest.POST('/api/v1/estimates', { body }));
    const { total } = services.find(({ service }) => service === body.service)?.pricing ?? pricing;
    return { ...row, total };
  });
  const priced = results.flatMap(({ done }) => done ?? []);
  const centavos = priced.reduce((sum, { total }) => sum + parseMoney(total), parseMoney(progress.total));
  return {
    ...withRefused(visit, progress, results),
    unchecked: progress.unchecked.slice(PART_ROWS),
    priced: [...progress.priced, ...priced],
    total: formatMoney(centavos),
  };
}

/** Orders the next rows, each once however often its part or file is sent. Throws as `checkPart` does. */
export async function orderPart(visit: Visit, progress: Progress): Promise<Progress> {
  const rows = progress.priced.slice(0, PART_ROWS);
  const results = await eachOf(rows, async (row) => {
    const body: OrderCreate = { ...orderOf(progress.headings, row, progress.pickup), expected_total: row.total };
    const params = { header: { 'Idempotency-Key': v5(JSON.stringify(body), NAMESPACE) } };
    return (await dataOf(visit.rest.POST('/api/v1/orders', { params, body }))).id;
  });
  return {
    ...withRefused(visit, progress, results),
    priced: progress.priced.slice(PART_ROWS),
    placed: [...progress.placed, ...results.flatMap(({ done }) => done ?? [])],
  };
}

interface Result<T> {
  row: Row;
  done?: T;
  refusal?: RefusalError;
}

const AGAIN = new Set(['RATE_LIMITED', 'UNAVAILABLE', 'INTERNAL_ERROR', 'UNAUTHENTICATED', 'FORBIDDEN']);

/** The result of the work for each row. Throws RefusalError where the row is not the cause. */
function eachOf<R extends Row, T>(rows: readonly R[], work: (row: R) => Promise<T>): Promise<Result<T>[]> {
  return Promise.all(
    rows.map(async (row): Promise<Result<T>> => {
      try {
        return { row, done: await work(row) };
      } catch (error) {
        if (!(error instanceof RefusalError) || AGAIN.has(error.code)) throw error;
        return { row, refusal: error };
      }
    }),
  );
}

/** The progress with the rows that were refused: those of an order that is there, and the faulty ones. */
function withRefused(visit: Visit, progress: Progress, results: readonly Result<unknown>[]): Progress {
  const refused = results.flatMap(({ row, refusal }) => (refusal ? [{ row, refusal }] : []));
  const faulty = refused.filter(({ refusal }) => refusal.reason !== 'external_id_taken');
  return {
    ...progress,
    earlier: progress.earlier + refused.length - faulty.length,
    faulty: [
      ...progress.faulty,
      ...faulty.map(({ row, refusal }) => ({ ...row, errors: errorsOf(visit, refusal) })),
    ].sort((one, other) => one.line - other.line),
  };
}

function errorsOf({ say }: Visit, { code, details }: RefusalError): CellError[] {
  if (details.length === 0) return [{ column: '', text: say(refusals[code] ?? texts.wrong) }];
  return details.map(({ field, code: fault }) => ({
    column: labelOf(field)?.column ?? '',
    text: say(detailTexts[fault] ?? texts.wrong),
  }));
}

export const packed = (progress: Progress, visit: Visit): Promise<string> =>
  carried.packed(JSON.stringify(progress), PURPOSE, visit);

/** Throws MALFORMED_REQUEST for a text that `packed` did not make in this session. */
export async function unpacked(visit: Visit): Promise<Progress> {
  const value = parseJson(await carried.unpacked(visit.form.text('progress'), PURPOSE, visit));
  if (!isProgress(value)) throw malformed('body_malformed', 'The form cannot be read.');
  return value;
}

/** Tells the state of this version from that of another: what was sealed is whole. */
const isProgress = (value: unknown): value is Progress =>
  isFields(value) &&
  ['headings', 'unchecked', 'priced', 'faulty', 'placed'].every((name) => Array.isArray(value[name])) &&
  ['pickup', 'total'].every((name) => typeof value[name] === 'string') &&
  ['count', 'earlier'].every((name) => typeof value[name] === 'number');
