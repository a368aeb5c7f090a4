import { CompiledQuery } from 'kysely';
import { paymentMethodIds } from '../accounts/payment-methods.js';
import type { Dimensions } from '../base/dimensions.js';
import { isId } from '../base/ids.js';
import type { Located } from '../base/place.js';
import type { FiscalRule } from '../base/tax.js';
import { inSlices } from '../base/turns/slices.js';
import { cardIn, cardVersionSql, nextCardSql } from '../carrier/account-cards.js';
import type { AreaIndex } from '../carrier/areas.js';
import { type AreasInForce, areasInForceSql, keptAreas } from '../carrier/areas-versions.js';
import { type CalendarInForce, calendarInForceSql, keptCalendar } from '../carrier/calendars.js';
import { cardsOf, type RateCard } from '../carrier/rate-cards.js';
import type { Db } from '../db/connect.js';
import { shareRead } from '../db/share-read.js';
import type { Address } from '../packages/stop.js';
import { productsById } from '../products/products.js';
import { embeddedGeocoder } from '../routing/address/embedded-geocoder.js';
import type { WorkCalendar } from '../routing/calendar.js';
import { placedAt } from '../routing/places/given-place.js';
import type { Geocoder } from '../routing/ports.js';
import type { OrderInput, PackageInput, PickupInput } from './order.js';

/** Sizes and weights of the account's products, by id in lower case. */
export type ProductSizes = ReadonlyMap<string, Dimensions>;

export interface AccountFacts {
  card: RateCard;
  /**
   * The time from which another card may price orders of the account. Null if no change is announced, and unless
   * `isEstimate`.
   */
  cardUntil: Date | null;
  /** Undefined if no version is in force. */
  areas: AreaIndex | undefined;
  /** The working time in force. */
  calendar: WorkCalendar | undefined;
  paymentMethodIds: readonly number[];
  products: ProductSizes;
  orderOfExternalId: string | null;
  /** The account's rule about fiscal documents. Null means the rule of the service. */
  ownRule: FiscalRule | null;
  /** Orders under way that have fiscal keys of the input, by key. */
  orderOfKey: ReadonlyMap<string, string>;
}

interface FactsWanted {
  /** Fiscal keys to look for, as bare digits. */
  keys?: readonly string[];
  /** True for an estimate, which tells when other prices follow. */
  isEstimate?: boolean | undefined;
}

export async function readAccountFacts(
  db: Db,
  accountId: string,
  input: Pick<OrderInput, 'externalId'> & { packages: readonly Pick<PackageInput, 'items'>[] },
  { keys = [], isEstimate = false }: FactsWanted,
): Promise<AccountFacts> {
  // Two reads, one after the other. A request that takes several connections at once would keep others waiting.
  const facts = await readAccount(db, {
    accountId,
    externalId: input.externalId || null,
    keys: keys.length > 0 ? keys.join(' ') : null,
    isEstimate,
  });
  return { ...facts, products: await productSizes(db, accountId, input) };
}

interface FactsRow {
  card_version: number | null;
  card_until: Date | null;
  /** Only in the first row. */
  areas: AreasInForce | null;
  /** Only in the first row. */
  calendar: CalendarInForce | null;
  payment_method_ids: number[];
  order_of_external_id: string | null;
  own_rule: FiscalRule | null;
  order_of_key: Record<string, string> | null;
}

interface Planner {
  accountId: string;
  externalId: string | null;
  /** Joined by spaces. */
  keys: string | null;
  isEstimate: boolean;
}

const factsText = `
  select
    ${cardVersionSql('planner.account_id')} as card_version,
    case when planner.is_estimate then ${nextCardSql('planner.account_id')} end as card_until,
    case when at = 1 then ${areasInForceSql('$5::integer')} end as areas,
    case when at = 1 then ${calendarInForceSql('$6::integer')} end as calendar,
    ${paymentMethodIds('planner.account_id')} as payment_method_ids,
    (select order_id from order_external_ids taken
      where taken.account_id = planner.account_id and taken.external_id = planner.external_id) as order_of_external_id,
    (select fiscal_rule from accounts where id = planner.account_id) as own_rule,
    (select json_object_agg(key, order_ids[1]) from fiscal_keys held
      where held.account_id = planner.account_id and key = any (string_to_array(planner.keys, ' '))) as order_of_key
  from unnest($1::uuid[], $2::text[], $3::text[], $4::boolean[]) with ordinality
    as planner (account_id, external_id, keys, is_estimate, at)
  order by at`;

// Most time for which reads wait to run together. A read usually takes less, so others need not wait for a slow one.
const PATIENCE_MS = 5;

const readAccount = shareRead(
  async (db, planners: readonly Planner[]) => {
    const values = (['accountId', 'externalId', 'keys', 'isEstimate'] as const).map((name) =>
      planners.map((each) => each[name]),
    );
    const knownAreas = keptAreas.known(db);
    const knownCalendar = keptCalendar.known(db);
    const asked = [...values, knownAreas?.version, knownCalendar?.version];
    const { rows } = await db.executeQuery<FactsRow>(CompiledQuery.raw(factsText, asked));
    const cards = await cardsOf(db, [...new Set(rows.flatMap(({ card_version: version }) => version ?? []))]);
    const areas = keptAreas.read(db, knownAreas, rows[0]?.areas ?? null);
    const calendar = keptCalendar.read(db, knownCalendar, rows[0]?.calendar ?? null)?.work;
    return rows.map((facts) => ({
      card: cardIn(cards, facts.card_version ?? 0),
      cardUntil: facts.card_until,
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

async function productSizes(
  db: Db,
  accountId: string,
  { packages }: { packages: readonly Pick<PackageInput, 'items'>[] },
): Promise<ProductSizes> {
  const ids = packages.flatMap(({ items = [] }) => items.map(({ productId }) => productId)).filter(isId);
  if (ids.length === 0) return new Map();
  const products = await productsById(db, accountId, ids);
  return new Map(products.map(({ id, width, height, length, weight }) => [id, { width, height, length, weight }]));
}

interface AddressedStops {
  pickups: readonly Pick<PickupInput, 'address'>[];
  packages: readonly Pick<PickupInput, 'address'>[];
}

export interface LocatedStops {
  pickups: readonly (Located | undefined)[];
  deliveries: readonly (Located | undefined)[];
}

/** Reads the addresses of an order that need no other service, in the turns of its account. */
export function readStops(geocoder: Geocoder, accountId: string, order: AddressedStops): Promise<LocatedStops> {
  return inSlices(accountId, reading(geocoder, order));
}

function* reading(geocoder: Geocoder, order: AddressedStops): Generator<void, LocatedStops> {
  const answers = new Map<string, Located | undefined>();
  for (const [key, address] of addressesOf(order)) {
    answers.set(key, readAddress(geocoder, address));
    // A new address takes a third of a millisecond; coordinates with it take one.
    yield;
  }
  return atStops(order, answers);
}

export async function locateStops(geocoder: Geocoder, order: AddressedStops): Promise<LocatedStops> {
  const answers = addressesOf(order).map(
    async ([key, address]) => [key, await locateAddress(geocoder, address)] as const,
  );
  return atStops(order, new Map(await Promise.all(answers)));
}

/** Locates an address if that needs no other service. An address with coordinates never needs one. */
function readAddress(geocoder: Geocoder, { address, location }: Address): Located | undefined {
  const read = geocoder.read(address);
  if (!location) return read;
  const named = read ?? embeddedGeocoder.read(address);
  return named && placedAt(named, location);
}

export const locateAddress = async (geocoder: Geocoder, address: Address): Promise<Located> =>
  readAddress(geocoder, address) ?? geocoder.locate(address.address);

/** A key that differs for different places. */
const keyOf = ({ address, location }: Address): string => (location ? JSON.stringify([address, location]) : address);

const addressesOf = ({ pickups, packages }: AddressedStops): [key: string, address: Address][] => [
  ...new Map([...pickups, ...packages].map(({ address }) => [keyOf(address), address] as const)),
];

function atStops(
  { pickups, packages }: AddressedStops,
  answers: ReadonlyMap<string, Located | undefined>,
): LocatedStops {
  const answerTo = ({ address }: Pick<PickupInput, 'address'>) => answers.get(keyOf(address));
  return { pickups: pickups.map(answerTo), deliveries: packages.map(answerTo) };
}
