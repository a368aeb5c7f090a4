import type { Precision } from '../../base/place.js';
import table from '../data/accuracy.json' with { type: 'json' };
import type { Municipality } from './municipalities.js';
import { postalCodeCounts } from './postal-codes.js';

/** Metres of places that nobody measures: those of another geocoder, and those that a release before 1.6 stored. */
export const usualAccuracy: Readonly<Record<Precision, number>> = {
  rooftop: 20,
  street: 280,
  postal_code: 500,
  district: 1_000,
  city: 4_300,
};

/** Counts of CEPs, used or not, from which on a municipality is of the next size. */
const sizes = [20_000, 100_000, 1_000_000];

export const sizeOf = ({ code }: Municipality): number =>
  sizes.filter((least) => (postalCodeCounts.get(code) ?? 0) >= least).length;

/** Metres within which nine of ten addresses lie where so many are expected; lab/bench/accuracy.ts measures it. */
export const accuracyOf = (precision: Precision, expectedMetres: number, municipality: Municipality): number =>
  Math.ceil((table[precision][sizeOf(municipality)] ?? 1) * expectedMetres);

/** Accuracy of an address known by its municipality alone, from the usual metres between two addresses there. */
export const accuracyInTown = (metresApart: number): number => Math.ceil(IN_TOWN * metresApart);

/** Nine of ten addresses of a register lie as far from the middle of its city; in 14 cities 1.05 to 1.6. */
const IN_TOWN = 1.4;
