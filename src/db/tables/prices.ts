import type { Generated, JSONColumnType } from 'kysely';
import type { MaybeStamp, Stamp } from '../columns.js';

export type Service = 'express' | 'economy';

/** Line-haul of a package, in centavos: a price per weight band, and per kg beyond the last band. */
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
  /** Upper bounds of the weight bands, in grams, ascending. */
  weights: number[];
  /** The nearest zone first. The last one also holds beyond its bound. */
  rows: ZoneRow[];
  /** Workdays that an economy order takes in addition. Absent if there is no economy. */
  economyDays?: number;
}

export interface AdValorem {
  /** Hundredths of a percent of the declared value. */
  basisPoints: number;
  /** The least charge for an order with a declared value. */
  leastCentavos: number;
}

/** Whole centavos per order, per km, per kg of billable weight, and per extra stop. */
export interface RateCards {
  version: number;
  /** `standard`, or the name of other cards for some accounts. */
  name: Generated<string>;
  valid_from: Stamp;
  base_centavos: number;
  per_km_centavos: number;
  per_kg_centavos: number;
  per_extra_stop_centavos: number;
  /** Volume that is billed as one kilogram. */
  volumetric_cm3_per_kg: number;
  /** Kilometres up to which a courier carries a package; beyond them line-haul does. Null without zones. */
  urban_km: number | null;
  zones: JSONColumnType<Zones> | null;
  ad_valorem: JSONColumnType<AdValorem> | null;
  created_at: Stamp;
}

/** Names of the cards that price an account's orders, each from a time on. Before the first, `standard`. */
interface AccountRateCards {
  account_id: string;
  valid_from: Stamp;
  name: string;
  created_at: Stamp;
}

/** A table of prices that an account requested. Without a file it waits to be made. */
interface RateTables {
  key: string;
  account_id: string;
  pickup_postal_code: string;
  service: Service;
  /** Upper bounds of its bands in grams, separated by commas. */
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
