import type { Generated, JSONColumnType } from 'kysely';
import type { MaybeStamp, Stamp } from '../columns.js';

export type Service = 'express' | 'economy';

/** Line-haul of a package, in centavos: a price for each weight band, and for each kg beyond the last. */
export interface BandPrices {
  prices: number[];
  perFurtherKg: number;
}

export interface ZoneRow extends BandPrices {
  upToKm: number;
  economy?: BandPrices;
}

/** Line-haul by distance and billable weight. A bound belongs to the range below it. */
export interface Zones {
  /** Upper bounds of the weight bands in grams, ascending. */
  weights: number[];
  /** The nearest first; the last one holds beyond its bound, too. */
  rows: ZoneRow[];
  /** Workdays by which an economy order is delivered later; where it is absent there is no economy. */
  economyDays?: number;
}

export interface AdValorem {
  /** Hundredths of a percent of the declared value. */
  basisPoints: number;
  /** The least charge for an order with a declared value. */
  leastCentavos: number;
}

/** Whole centavos for an order, for each km, each kg of billable weight, and each extra stop. */
export interface RateCards {
  version: number;
  /** `standard`, or the name of a series of cards for some accounts. */
  name: Generated<string>;
  valid_from: Stamp;
  base_centavos: number;
  per_km_centavos: number;
  per_kg_centavos: number;
  per_extra_stop_centavos: number;
  /** Volume that is billed as one kilogram. */
  volumetric_cm3_per_kg: number;
  /** Kilometres up to which a package goes by courier, and beyond by line-haul; null without zones. */
  urban_km: number | null;
  zones: JSONColumnType<Zones> | null;
  ad_valorem: JSONColumnType<AdValorem> | null;
  created_at: Stamp;
}

/** Names of the cards that price orders of an account, each from a time on; `standard` before the first one. */
interface AccountRateCards {
  account_id: string;
  valid_from: Stamp;
  name: string;
  created_at: Stamp;
}

/** A table of prices that an account asked for; without a file it waits to be made. */
interface RateTables {
  key: string;
  account_id: string;
  pickup_postal_code: string;
  service: Service;
  /** Upper bounds of its bands in grams, with a comma between two. */
  weights: string;
  /** Gzipped JSON (orders/rate-table/table-file.ts). */
  file: Buffer | null;
  asked_at: Stamp;
  made_at: MaybeStamp;
  used_at: Stamp;
}

export interface PriceTables {
  rate_tables: RateTables;
  rate_cards: RateCards;
  account_rate_cards: AccountRateCards;
}
