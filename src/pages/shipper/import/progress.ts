import { v5 } from 'uuid';
import { formatMoney, parseMoney } from '../../../base/money.js';
import { stateNames } from '../../../base/place.js';
import { RefusalError } from '../../operations.js';
import { type CellError, cellOf, type FaultyRow, type Row, type Sheet } from '../../shared/sheet.js';
import { detailText, faults, faultText, refusalText, sheetErrors as texts } from '../../texts.js';
import { carrierOf, type RestSchemas, type Visit } from '../../visit.js';
import type { OrderCreate } from '../fields.js';
import { columnOf, fileFields, orderOfRow, REFERENCE } from './file.js';

/** A checked row with the estimated price and date of its order. */
type PricedRow = Row & { total: string; date: string; read: ReadPlace };

/** An address as the estimate read it, beside the typed text. */
export interface ReadPlace {
  typed: string;
  /** Street and number as they were read. Empty if they were not. */
  street: string;
  place: RestSchemas['ResolvedAddress'];
}

/** A pickup, with the lines of the rows that use it. */
type ReadPickup = ReadPlace & { lines: number[] };

/** The state of an import. Rows are first checked and then ordered, part by part. */
export interface Progress {
  headings: string[];
  /** The pickup for rows without one. */
  pickup: Readonly<Record<string, string>>;
  count: number;
  unchecked: Row[];
  priced: PricedRow[];
  /** The different pickups of the file. */
  pickups: ReadPickup[];
  faulty: FaultyRow[];
  total: string;
  /** Ids of the orders that this file created. */
  placed: string[];
  /** Number of rows whose order already existed. */
  earlier: number;
  /** True after the person has confirmed how addresses were read. */
  isConfirmed: boolean;
}

const atFirst: Progress = {
  headings: [],
  pickup: {},
  count: 0,
  unchecked: [],
  priced: [],
  pickups: [],
  faulty: [],
  total: '0.00',
  placed: [],
  earlier: 0,
  isConfirmed: false,
};

/** Maximum number of rows in a part. More requests at once could wait too long for the account's turn. */
const PART_ROWS = 100;
const NAMESPACE = '5d2c7a52-6c1a-4b63-9e57-0a5d2c0f7f11';

/** Finds errors that only the file shows, as no operation sees them: a repeated reference, or an unknown word. */
export function begin(file: Sheet, pickup: Progress['pickup'], { say }: Visit): Progress {
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

/** Estimates the next rows. Throws RefusalError if the person should try again. */
export async function checkPart(visit: Visit, progress: Progress): Promise<Progress> {
  const { done, ...rest } = await eachOf(visit, progress, progress.unchecked, async (row, body) => {
    const { pricing, services = [], pickups, packages } = await visit.ask('POST /api/v1/estimates', { body });
    const offer = services.find(({ service }) => service === (body.service ?? 'express'));
    const [pickup, delivery] = [pickups[0], packages[0]];
    const priced = {
      ...row,
      total: (offer?.pricing ?? pricing).total,
      date: offer?.promised_date ?? delivery?.promised_date ?? '',
    };
    return { priced, pickup: readPlace(body.pickups[0], pickup), read: readPlace(body.packages[0], delivery) };
  });
  const centavos = done.reduce((sum, { priced }) => sum + parseMoney(priced.total), parseMoney(progress.total));
  return {
    ...rest,
    unchecked: progress.unchecked.slice(PART_ROWS),
    priced: [...progress.priced, ...done.map(({ priced, read }) => ({ ...priced, read }))],
    pickups: withPickups(progress.pickups, done),
    total: formatMoney(centavos),
  };
}

type Estimated = RestSchemas['PickupEstimate'] | RestSchemas['PackageEstimate'];

function readPlace(sent: { address: { address: string } } | undefined, estimated: Estimated | undefined): ReadPlace {
  if (!sent || !estimated) throw new Error('an estimate lacks a stop of its order');
  const { street_read: street = '', resolved_address: place } = estimated;
  return { typed: sent.address.address, street, place };
}

function withPickups(known: readonly ReadPickup[], done: readonly { priced: Row; pickup: ReadPlace }[]): ReadPickup[] {
  const pickups = new Map(known.map((pickup) => [pickup.typed, pickup]));
  for (const { priced, pickup } of done) {
    const lines = [...(pickups.get(pickup.typed)?.lines ?? []), priced.line];
    pickups.set(pickup.typed, { ...pickup, lines });
  }
  return [...pickups.values()];
}

/** True if the text has the two letters of the state as a separate word, as in `SP`. */
const isNamed = (text: string, state: string): boolean => new RegExp(`(^|[^A-Z])${state}($|[^A-Z])`, 'i').test(text);
const bare = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();

/** True if a person must confirm the address: only its city was found, or the text does not name the state. */
export function isUnsure({ typed, place }: ReadPlace): boolean {
  if (place.precision === 'city') return true;
  const isStateWritten = place.postal_code !== undefined || isNamed(typed, place.state);
  return !isStateWritten && !bare(typed).includes(bare(stateNames[place.state] ?? place.state));
}

/** Orders the next rows. A part or file that is sent again orders nothing twice. Throws like `checkPart`. */
export async function orderPart(visit: Visit, checked: Progress): Promise<Progress> {
  const progress = withoutUnconfirmed(visit, checked);
  const { done, ...rest } = await eachOf(visit, progress, progress.priced, async ({ total }, order) => {
    const body: OrderCreate = { ...order, expected_total: total };
    const headers = { 'idempotency-key': v5(JSON.stringify(body), NAMESPACE) };
    return (await visit.ask('POST /api/v1/orders', { headers, body })).id;
  });
  return { ...rest, priced: progress.priced.slice(PART_ROWS), placed: [...progress.placed, ...done] };
}

/** The name of the checkbox that confirms an unsure delivery address. `pickupBox` names one for a pickup. */
export const deliveryBox = (line: number): string => `delivery.${line}`;
export const pickupBox = (index: number): string => `pickup.${index}`;

/** Sets aside rows whose delivery or pickup is unsure and not confirmed. This happens once, before the first order. */
function withoutUnconfirmed({ form, say }: Visit, progress: Progress): Progress {
  if (progress.isConfirmed) return progress;
  const unsureLines = progress.pickups.flatMap((pickup, index) =>
    isUnsure(pickup) && !form.has(pickupBox(index)) ? pickup.lines : [],
  );
  const isRefused = ({ line, read }: PricedRow) =>
    unsureLines.includes(line) || (isUnsure(read) && !form.has(deliveryBox(line)));
  const refused = progress.priced.filter(isRefused).map(({ line, cells }): FaultyRow => {
    const column = unsureLines.includes(line) ? 'pickups.0.address.address' : 'address.address';
    return { line, cells, errors: [{ column: columnOf(column) ?? '', text: say(texts.unconfirmed) }] };
  });
  const priced = progress.priced.filter((row) => !isRefused(row));
  const total = formatMoney(priced.reduce((sum, row) => sum + parseMoney(row.total), 0));
  const faulty = [...progress.faulty, ...refused].sort((one, other) => one.line - other.line);
  return { ...progress, priced, faulty, total, isConfirmed: true };
}

const AGAIN = new Set(['RATE_LIMITED', 'UNAVAILABLE', 'INTERNAL_ERROR', 'UNAUTHENTICATED', 'FORBIDDEN']);

/** Works through the next rows and sets refused ones aside. Throws RefusalError if the row is not the cause. */
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
