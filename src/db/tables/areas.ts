import type { JSONColumnType } from 'kysely';
import type { Weekday } from '../../base/weekdays.js';
import type { Stamp } from '../columns.js';
import type { Calendars } from './calendars.js';
import type { PriceTables, Service } from './prices.js';

/** A range of CEPs of 8 digits, both ends inclusive. */
interface PostalCodeRange {
  from: string;
  to: string;
}

/** The terms of the carrier at the places of an area. */
export interface AreaTerms {
  collects: boolean;
  delivers: boolean;
  services: Service[];
  weekdays: Weekday[];
  /** Workdays that deliveries take in addition. */
  extraWorkdays: number;
}

export interface Area extends AreaTerms {
  name: string;
  states: string[];
  /** IBGE codes. */
  municipalities: number[];
  postalCodes: PostalCodeRange[];
}

/** A version of the service areas. A stored version never changes. */
interface ServiceAreas {
  version: number;
  valid_from: Stamp;
  place_count: number;
  areas: JSONColumnType<Area[]>;
  created_at: Stamp;
}

/** The carrier's rules, in versions. */
export interface CarrierTables extends PriceTables {
  service_areas: ServiceAreas;
  calendars: Calendars;
}
