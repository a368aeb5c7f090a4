/** Checks the municipality that CEPs give, by sources that the table asked is not made of. */

import { postalCodeLines } from '../../../scripts/places/postal-codes.js';
import { addressedPoints, cepRanges, cepRuns } from '../../../scripts/places/sources.js';
import { metresBetween } from '../../../src/routing/places/clusters.js';
import { municipalitiesOfPostalCode, toPostalCodeTable } from '../../../src/routing/places/postal-codes.js';

/** Of how many CEPs each answer is the same as the other source's. */
export interface Agreement {
  asked: number;
  /** The municipality that the CEP alone is taken for. */
  alone: number;
  /** The other source's municipality is accepted beside the CEP. */
  accepted: number;
}

/** CEPs of a run that are looked up, spread over it; it stands for all existing ones of the run. */
const ASKED_OF_RUN = 100;

/** Existing CEPs, asked of the ranges that Correios publishes. */
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

/** No CEP is of a municipality whose seat is so many metres away: it was written wrong. */
const FAR_METRES = 60_000;

/** CEPs that OpenStreetMap's addresses have, but those that are of some place far away, asked of the table in use. */
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
