import { CompiledQuery } from 'kysely';
import { paymentMethodIds } from '../accounts/payment-methods.js';
import type { Dimensions } from '../base/dimensions.js';
import { isId } from '../base/ids.js';
import type { Located } from '../base/place.js';
import type { FiscalRule } from '../base/tax.js';
import { inSlices } from '../base/turns/slices.js';
import type { AreaIndex } from '../carrier/areas.js';
import { type AreasInForce, areasInForceSql, keptAreas } from '../carrier/areas-versions.js';
import { type CalendarInForce, calendarInForceSql, keptCalendar } from '../carrier/calendars.js';
import type { RateCard } from '../carrier/rate-cards.js';
import type { JsonRow } from '../db/columns.js';
import type { Db } from '../db/connect.js';
import { together } from '../db/read-together.js';
import type { RateCards } from '../db/tables/prices.js';
import type { Address } from '../packages/stop.js';
import { productsById } from '../products/products.js';
import { embeddedGeocoder } from '../routing/address/embedded-geocoder.js';
import type { WorkCalendar } from '../routing/calendar.js';
import { placedAt } from '../routing/places/given-place.js';
import type { Geocoder } from '../routing/ports.js';
import type { OrderInput, PickupInput } from './order.js';

/** Sizes and weights of the account's products, by id in lower case. */
export type ProductSizes = ReadonlyMap<string, Dimensions>;

export interface AccountFacts {
  card: RateCard;
  /** Undefined while no version is in force. */
  areas: AreaIndex | undefined;
  /** The working time in force. */
  calendar: WorkCalendar | undefined;
  paymentMethodIds: readonly number[];
  products: ProductSizes;
  orderOfExternalId: string | null;
  /** Of fiscal documents; the service's where it is null. */
  ownRule: FiscalRule | null;
  /** Orders under way by the fiscal keys of the input that they have. */
  orderOfKey: ReadonlyMap<string, string>;
}

/** `keys` are the fiscal keys to look for, bare. */
export async function readAccountFacts(
  db: Db,
  accountId: string,
  input: OrderInput,
  keys: readonly string[],
): Promise<AccountFacts> {
  // One after the other: a request that took several connections at once would starve others of them.
  const facts = await readAccount(db, {
    accountId,
    externalId: input.externalId || null,
    keys: keys.length > 0 ? keys.join(' ') : null,
  });
  return { ...facts, products: await productSizes(db, accountId, input) };
}

interface FactsRow {
  /** In the first row only, as it is the same for all; null when it is the one that is known. */
  card: JsonRow<RateCards> | null;
  /** In the first row only. */
  areas: AreasInForce | null;
  /** In the first row only. */
  calendar: CalendarInForce | null;
  payment_method_ids: number[];
  order_of_external_id: string | null;
  own_rule: FiscalRule | null;
  order_of_key: Record<string, string> | null;
}

interface Planner {
  accountId: string;
  externalId: string | null;
  /** With a space between two. */
  keys: string | null;
}

const factsText = `
  select
    case when at = 1 then (
      select case when created_at is distinct from $4::timestamptz then to_json(card) end
      from rate_cards card order by version desc limit 1) end as card,
    case when at = 1 then ${areasInForceSql('$5::integer')} end as areas,
    case when at = 1 then ${calendarInForceSql('$6::integer')} end as calendar,
    ${paymentMethodIds('planner.account_id')} as payment_method_ids,
    (select order_id from order_external_ids taken
      where taken.account_id = planner.account_id and taken.external_id = planner.external_id) as order_of_external_id,
    (select fiscal_rule from accounts where id = planner.account_id) as own_rule,
    (select json_object_agg(key, order_ids[1]) from fiscal_keys held
      where held.account_id = planner.account_id and key = any (string_to_array(planner.keys, ' '))) as order_of_key
  from unnest($1::uuid[], $2::text[], $3::text[]) with ordinality as planner (account_id, external_id, keys, at)
  order by at`;

// The read takes less; where one takes longer, the others need not wait for it.
const PATIENCE_MS = 5;

/** The card in force when a database was read last, with its time to the microsecond: cards do not change. */
const lastCards = new WeakMap<Db, { createdAt: string; card: RateCard }>();

const readAccount = together(
  async (db, planners: readonly Planner[]) => {
    const values = (['accountId', 'externalId', 'keys'] as const).map((name) => planners.map((each) => each[name]));
    const known = lastCards.get(db);
    const knownAreas = keptAreas.known(db);
    const knownCalendar = keptCalendar.known(db);
    const asked = [...values, known?.createdAt, knownAreas?.version, knownCalendar?.version];
    const { rows } = await db.executeQuery<FactsRow>(CompiledQuery.raw(factsText, asked));
    const row = rows[0]?.card;
    const last = row ? { createdAt: row.created_at, card: { ...row, created_at: new Date(row.created_at) } } : known;
    if (!last) throw new Error('there is no rate card');
    lastCards.set(db, last);
    const { card } = last;
    const areas = keptAreas.read(db, knownAreas, rows[0]?.areas ?? null);
    const calendar = keptCalendar.read(db, knownCalendar, rows[0]?.calendar ?? null)?.work;
    return rows.map((facts) => ({
      card,
      areas,
      calendar,
      paymentMethodIds: facts.payment_method_ids,
      orderOfExternalId: facts.order_of_external_id,
      ownRule: facts.own_rule,
      orderOfKey: new Map(Object.entries(facts.order_of_key ?? {})),
    }));
  },
  { patienceMs: PATIENCE_MS },
);

async function productSizes(db: Db, accountId: string, { packages }: OrderInput): Promise<ProductSizes> {
  const ids = packages.flatMap(({ items = [] }) => items.map(({ productId }) => productId)).filter(isId);
  if (ids.length === 0) return new Map();
  const products = await productsById(db, accountId, ids);
  return new Map(products.map(({ id, width, height, length, weight }) => [id, { width, height, length, weight }]));
}

export interface LocatedStops {
  pickups: readonly (Located | undefined)[];
  deliveries: readonly (Located | undefined)[];
}

/** Reads every address of an order as far as no other service is needed, in the turns of its account. */
export function readStops(geocoder: Geocoder, accountId: string, order: OrderInput): Promise<LocatedStops> {
  return inSlices(accountId, reading(geocoder, order));
}

function* reading(geocoder: Geocoder, order: OrderInput): Generator<void, LocatedStops> {
  const answers = new Map<string, Located | undefined>();
  for (const [key, address] of addressesOf(order)) {
    answers.set(key, readAddress(geocoder, address));
    // A new address takes a third of a millisecond, coordinates that came with it take one.
    yield;
  }
  return atStops(order, answers);
}

export async function locateStops(geocoder: Geocoder, order: OrderInput): Promise<LocatedStops> {
  const answers = addressesOf(order).map(
    async ([key, address]) => [key, await locateAddress(geocoder, address)] as const,
  );
  return atStops(order, new Map(await Promise.all(answers)));
}

/** Locates an address as far as no other service is needed: none is for the place of coordinates that came with it. */
function readAddress(geocoder: Geocoder, { address, location }: Address): Located | undefined {
  const read = geocoder.read(address);
  if (!location) return read;
  const named = read ?? embeddedGeocoder.read(address);
  return named && placedAt(named, location);
}

export const locateAddress = async (geocoder: Geocoder, address: Address): Promise<Located> =>
  readAddress(geocoder, address) ?? geocoder.locate(address.address);

/** Different places have different keys. */
const keyOf = ({ address, location }: Address): string => (location ? JSON.stringify([address, location]) : address);

const addressesOf = ({ pickups, packages }: OrderInput): [key: string, address: Address][] => [
  ...new Map([...pickups, ...packages].map(({ address }) => [keyOf(address), address] as const)),
];

function atStops({ pickups, packages }: OrderInput, answers: ReadonlyMap<string, Located | undefined>): LocatedStops {
  const answerTo = ({ address }: PickupInput) => answers.get(keyOf(address));
  return { pickups: pickups.map(answerTo), deliveries: packages.map(answerTo) };
}
