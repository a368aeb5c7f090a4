/** Checks the municipality of CEPs against sources from which the tested table was not made. */

import { postalCodeLines } from '../../../scripts/places/postal-codes.js';
import { addressedPoints, cepRanges, cepRuns } from '../../../scripts/places/sources.js';
import { metresBetween } from '../../../src/routing/places/clusters.js';
import { municipalitiesOfPostalCode, toPostalCodeTable } from '../../../src/routing/places/postal-codes.js';

/** Counts of CEPs for which the answer agrees with the other source. */
export interface Agreement {
  asked: number;
  /** The municipality that the CEP alone leads to. */
  alone: number;
  /** True if the service accepts the other source's municipality with this CEP. */
  accepted: number;
}

/** The number of CEPs tested in each run, at even distances. They represent all existing CEPs of the run. */
const ASKED_OF_RUN = 100;

/** Tests existing CEPs against the ranges that Correios publishes. */
export function existingByRanges(): Agreement {
  const ranges = toPostalCodeTable(postalCodeLines([], cepRanges()));
  const sum: Agreement = { asked: 0, alone: 0, accepted: 0 };
  for (const { cep_from, cep_to, ibge, ceps } of cepRuns()) {
    if (ibge === '') continue;
    const from = Number(cep_from);
    const step = (Number(cep_to) - from) / (ASKED_OF_RUN - 1);
    for (let i = 0; i < ASKED_OF_RUN; i++)
      count(sum, Math.round(from + i * step), Number(ibge), Number(ceps) / ASKED_OF_RUN, ranges);
  }
  return sum;
}

/** A CEP with its municipality's seat further away than this, in metres, was mistyped. */
const FAR_METRES = 60_000;

/** Tests the table in use with the CEPs of OpenStreetMap's addresses, without mistyped ones. */
export function addressesByTable(): Agreement {
  const sum: Agreement = { asked: 0, alone: 0, accepted: 0 };
  for (const point of addressedPoints()) {
    const [owner] = municipalitiesOfPostalCode(point.cep);
    const isFar =
      owner !== undefined && metresBetween(owner.seat, point) > FAR_METRES && owner.code !== Number(point.ibge);
    if (point.cep !== '' && !isFar) count(sum, Number(point.cep), Number(point.ibge), 1);
  }
  return sum;
}

function count(
  sum: Agreement,
  cep: number,
  ibge: number,
  weight: number,
  table?: ReturnType<typeof toPostalCodeTable>,
): void {
  const codes = municipalitiesOfPostalCode(String(cep).padStart(8, '0'), table).map(({ code }) => code);
  sum.asked += weight;
  if (codes[0] === ibge) sum.alone += weight;
  if (codes.length === 0 || codes.includes(ibge)) sum.accepted += weight;
}
