import type { Precision } from '../../base/place.js';
import type { Read } from '../address/reading.js';
import { looseKey } from '../address/spelling.js';
import { nameKey } from '../address/words.js';
import type { CityTable, Neighbourhood, PostalCode, StreetPart } from './city-table.js';
import { type Estimate, expectedAmong, joined, middleOf } from './clusters.js';
import type { Municipality } from './municipalities.js';
import { alongStreet } from './street-numbers.js';

export interface Evidence extends Estimate {
  /** The finest precision that a place by it may have. */
  precision: Precision;
}

/** Usual metres to a district's point, to the seat for a "Centro" without points, and to the seat of a town. */
const usual = { district: 560, centre: 700, city: 4_000 };
/** Weights of the metres by which near CEPs, or a street's CEP and its neighbourhood, lie apart. */
const doubts = { postalCodes: 1, parts: 5 };
/** Parts of a street that are looked at: some names are those of hundreds of streets in one city. */
const MOST_PARTS = 40;

export function evidenceOf(reading: Read, cities: CityTable): Evidence[] {
  const { municipality, postalCode } = reading;
  const neighbourhood = cities.neighbourhoodOf(municipality, neighbourhoodKey(reading));
  const street = streetEvidence(reading, cities, neighbourhood);
  const seat: Evidence = {
    precision: 'city',
    at: municipality.seat,
    metres: metresInTown(municipality, cities),
  };
  return [
    ...street,
    ...(postalCode === undefined
      ? []
      : postalCodeEvidence(cities.postalCodesNear(municipality, Number(postalCode)), Number(postalCode))),
    ...neighbourhoodEvidence(reading, neighbourhood),
    // Where a street is one of several the seat says nothing of which one it is.
    ...(street.length > 0 ? [] : [seat]),
  ];
}

/** Metres from the seat at which an address of the municipality is expected. */
export const metresInTown = (municipality: Municipality, cities: CityTable): number =>
  cities.metresFromSeat(municipality) ?? usual.city;

export const neighbourhoodKey = ({ neighbourhood, district }: Read): string =>
  looseKey(neighbourhood ?? nameKey(district?.name ?? '').split(' '));

function neighbourhoodEvidence(reading: Read, neighbourhood: Neighbourhood | undefined): Evidence[] {
  const { estimate } = neighbourhood ?? {};
  const { district, municipality } = reading;
  const isCentre = neighbourhoodKey(reading) === 'centro';
  const candidates: Evidence[] = [
    ...(estimate ? [{ ...estimate, precision: estimate.isTown ? ('city' as const) : ('district' as const) }] : []),
    ...(district ? [{ precision: 'district' as const, at: district, metres: usual.district }] : []),
    ...(isCentre ? [{ precision: 'district' as const, at: municipality.seat, metres: usual.centre }] : []),
  ];
  return candidates.sort((a, b) => a.metres - b.metres).slice(0, 1);
}

function postalCodeEvidence(near: readonly PostalCode[], digits: number): Evidence[] {
  const [own] = near;
  if (own === undefined) return [];
  if (own.digits === digits) return [{ ...own, precision: own.isTown ? 'city' : 'postal_code' }];
  const precision = isOfTown(digits) ? 'city' : 'district';
  return [
    {
      precision,
      ...joined(
        near.map((other) => farther(other, digits)),
        doubts.postalCodes,
      ),
    },
  ];
}

/** The estimate for a CEP by another one: the surer, the nearer their numbers are. */
function farther({ at, metres, digits }: PostalCode, of: number): Estimate {
  return { at, metres: Math.hypot(metres, 420 * Math.abs(digits - of) ** 0.2) };
}

/** A CEP without points that may be that of a whole town; from 900 they are of post offices. */
const isOfTown = (digits: number): boolean => digits % 1_000 === 0 || digits % 1_000 >= 900;

/** By the house number among others of the street, and by what lies about its parts that have no points. */
function streetEvidence(
  { street, municipality, postalCode }: Read,
  cities: CityTable,
  inside: Neighbourhood | undefined,
): Evidence[] {
  const known = street && cities.streetOf(municipality, street.words);
  if (street === undefined || known === undefined) return [];
  const isInside = (part: { neighbourhood: number }): boolean => part.neighbourhood === inside?.index;
  const isOfCode = (part: StreetPart): boolean => part.postalCode === Number(postalCode);
  const isNarrowed = [...known.parts, ...known.points].some(isInside) || known.parts.some(isOfCode);
  const parts = narrowed(narrowed(known.parts, isInside), isOfCode);
  const points = narrowed(
    narrowed(known.points, isInside),
    ({ neighbourhood }) => isNarrowed && parts.some((part) => part.neighbourhood === neighbourhood),
  );
  const number = Number.parseInt(street.number ?? '', 10);
  const byPoints = alongStreet(points, Number.isNaN(number) ? undefined : number);
  const open = parts.filter(({ neighbourhood }) => !points.some((point) => point.neighbourhood === neighbourhood));
  const byParts = estimatesOf(open.slice(0, MOST_PARTS), cities);
  // The points decide where, the other parts how sure that is.
  const all = byPoints ? [{ ...byPoints, weight: byParts.length + 1 }, ...byParts] : byParts;
  if (all.length === 0) return [];
  const place = (byPoints ? undefined : middleOf(byParts)) ?? expectedAmong(all);
  return [{ ...place, precision: known.isSure || isNarrowed ? 'street' : 'city' }];
}

const narrowed = <T>(values: readonly T[], holds: (value: T) => boolean): readonly T[] =>
  values.some(holds) ? values.filter(holds) : values;

/** One estimate for each neighbourhood, by what is known of it and of the CEPs that the street has there. */
function estimatesOf(parts: readonly StreetPart[], cities: CityTable) {
  return parts.flatMap((part) => {
    const { code, estimate } = cities.neighbourhoodAt(part.neighbourhood);
    const about = [
      ...postalCodeEvidence(cities.postalCodesNear({ code }, part.postalCode), part.postalCode),
      ...(estimate ? [estimate] : []),
    ];
    return about.length === 0 ? [] : [{ ...joined(about, doubts.parts), weight: 1 }];
  });
}
