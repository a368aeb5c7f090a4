import type { Precision } from '../../base/place.js';
import { computedOnce } from '../../base/values.js';
import type { Read } from '../address/reading.js';
import type { Neighbourhood, PostalCode, Street, StreetPart } from './city-rows.js';
import type { CityTable } from './city-table.js';
import { type Estimate, expectedAmong, joined, metresBetween, middleOf, sampleOf } from './clusters.js';
import { allMunicipalities, type Municipality } from './municipalities.js';
import { alongStreet } from './street-numbers.js';

export interface Evidence extends Estimate {
  /** The finest precision of a place that rests on this evidence. */
  precision: Precision;
  /** The part of the street data that tells the place: house numbers, points, or only the surroundings of its parts. */
  basis?: 'number' | 'street' | 'part';
}

/** Usual metres from the seat to an address of the centre. */
const CENTRE = 700;
/** Factors for the metres that near CEPs lie apart, and for those that a street's CEP and its neighbourhood do. */
const doubts = { postalCodes: 1, parts: 5 };
/** Most parts of a street that are read. In one city, hundreds of streets may share a name. */
const MAX_PARTS = 12;

/** Kinds of streets that cross a whole municipality. For them only house numbers near by tell the place. */
const HIGHWAYS = new Set(['rodovia', 'estrada']);
const SURE_OF_HIGHWAY = 300;
const SURE_OF_QUADRA = 500;
/** Usual metres from the middle of a region of Brasília to an address. */
const REGION = 6_500;
/** Most expected metres at which evidence counts for an address in the countryside. */
const sureInCountry: Readonly<Record<Exclude<Precision, 'city'>, number>> = {
  rooftop: SURE_OF_HIGHWAY,
  street: SURE_OF_HIGHWAY,
  postal_code: SURE_OF_HIGHWAY,
  district: 1_500,
};

/** Collects the evidence for the place of an address. `neighbourhood` is the one of the reading. */
export function evidenceOf(reading: Read, neighbourhood: Neighbourhood | undefined, cities: CityTable): Evidence[] {
  const { municipality, isRural } = reading;
  const postalCode = codeOfPlace(reading);
  const evidence = streetEvidence(reading, neighbourhood, cities);
  // If several streets have the name, the town does not decide between them.
  if (evidence.length === 0) evidence.push({ precision: 'city', ...cities.townOf(municipality) });
  if (postalCode !== undefined) {
    const digits = Number(postalCode);
    evidence.push(...postalCodeEvidence(cities.postalCodesNear(municipality.code, digits), digits));
  }
  const all = reading.street?.quadra
    ? quadraEvidence(evidence, reading, neighbourhood)
    : evidence.concat(neighbourhoodEvidence(reading, neighbourhood));
  return isRural ? ruralEvidence(all, municipality, cities) : all;
}

/**
 * Evidence of a quadra. Its code tells more than the region around it. If the code is unknown, the region is a large
 * one.
 */
function quadraEvidence(evidence: readonly Evidence[], reading: Read, region: Neighbourhood | undefined): Evidence[] {
  if (evidence.some(({ precision, metres }) => precision === 'street' && metres <= SURE_OF_QUADRA))
    return [...evidence];
  const all = [...evidence, ...neighbourhoodEvidence(reading, region)];
  return all.map((each) => ({ ...each, metres: Math.max(each.metres, REGION) }));
}

/** Evidence in the countryside. Only evidence finer than a town counts; otherwise the address may be anywhere. */
function ruralEvidence(evidence: readonly Evidence[], municipality: Municipality, cities: CityTable): Evidence[] {
  const fine = evidence.filter(
    ({ precision, metres }) =>
      precision !== 'city' &&
      metres <= sureInCountry[precision] &&
      // A district of Brasília is a whole town with countryside around it.
      (precision !== 'district' || municipality.state !== 'DF'),
  );
  if (fine.length > 0) return fine;
  // In a large municipality, the countryside around a region is nearer to the region than to the town.
  const region = evidence.find(({ precision }) => precision === 'district');
  const at = region?.at ?? cities.townOf(municipality).at;
  return [{ precision: 'city', at, metres: ruralMetresOf(municipality) }];
}

/** The CEP, if it tells the place. */
const codeOfPlace = ({ postalCode, isPostalCodeElsewhere }: Read): string | undefined =>
  isPostalCodeElsewhere ? undefined : postalCode;

/** Evidence of a neighbourhood. For a "centro" whose streets lie far apart, the seat is surer. */
function neighbourhoodEvidence(
  { neighbourhood: words, municipality }: Read,
  known: Neighbourhood | undefined,
): Evidence[] {
  const { at, metres = Number.POSITIVE_INFINITY, isTown } = known?.estimate ?? {};
  const isCentre = words?.length === 1 && words[0] === 'centro';
  if (isCentre && metres > CENTRE) return [{ precision: 'district', at: municipality.seat, metres: CENTRE }];
  return at ? [{ precision: isTown ? 'city' : 'district', at, metres }] : [];
}

function postalCodeEvidence(near: readonly PostalCode[], digits: number): Evidence[] {
  const [own] = near;
  if (own === undefined) return [];
  if (own.digits === digits) return [{ ...own, precision: own.isTown ? 'city' : 'postal_code' }];
  const precision = isOfTown(digits) ? 'city' : 'district';
  const estimates = near.map((other) => farther(other, digits));
  return [{ precision, ...joined(estimates, doubts.postalCodes) }];
}

/** The estimate for a CEP from another CEP. It is surer if their numbers are nearer. */
function farther({ at, metres, digits }: PostalCode, of: number): Estimate {
  const byNumber = 420 * Math.abs(digits - of) ** 0.2;
  return { at, metres: Math.sqrt(metres * metres + byNumber * byNumber) };
}

/** Tells whether a CEP without points may be that of a whole town, or of post offices (from 900 on). */
const isOfTown = (digits: number): boolean => digits % 1_000 === 0 || digits % 1_000 >= 900;

/**
 * Evidence of a street: the house number among others of the street, and the surroundings of its parts without points.
 */
function streetEvidence(reading: Read, inside: Neighbourhood | undefined, cities: CityTable): Evidence[] {
  const { street, municipality } = reading;
  const quadra = street?.quadra && pointsOfQuadra(cities.streetOf(municipality, street.quadra));
  const known = quadra ?? (street && cities.streetOf(municipality, street.key));
  if (street === undefined || known === undefined) return [];
  const isInside = (part: InNeighbourhood): boolean => part.neighbourhood === inside?.index;
  const digits = Number(codeOfPlace(reading));
  const isOfCode = (part: StreetPart): boolean => part.postalCode === digits;
  const isNarrowed = known.parts.some(isInside) || known.points.some(isInside) || known.parts.some(isOfCode);
  const parts = narrowed(narrowed(known.parts, isInside), isOfCode);
  const points = isNarrowed
    ? narrowed(narrowed(known.points, isInside), isAmong(parts, known.points.length))
    : known.points;
  const byPoints = alongStreet(points, Number.parseInt(street.number ?? '', 10));
  const hasPoints = isAmong(points, parts.length);
  const open = parts.filter((part) => !hasPoints(part));
  const byParts = sampleOf(open, MAX_PARTS).flatMap((part) => estimateOf(part, cities));
  // The points decide the place. The other parts decide how sure it is.
  const all = byPoints ? [{ ...byPoints, weight: byParts.length + 1 }, ...byParts] : byParts;
  if (all.length === 0) return [];
  const { at, metres } = (byPoints ? undefined : middleOf(byParts)) ?? expectedAmong(all);
  const isLong = HIGHWAYS.has(street.key.kind) && (byPoints?.metres ?? metres) > SURE_OF_HIGHWAY;
  const basis = byPoints?.isByNumber ? 'number' : byPoints ? 'street' : 'part';
  if ((known.isSure && !isLong) || isNarrowed) return [{ at, metres, precision: 'street', basis }];
  // The tables seldom know all streets with such a name.
  return [{ at, metres: Math.max(metres, cities.townOf(municipality).metres), precision: 'city' }];
}

/** A quadra with points, without its other parts. The points tell more than its CEPs do. */
const pointsOfQuadra = (quadra: Street | undefined): Street | undefined =>
  quadra && quadra.points.length > 0 ? { ...quadra, isSure: true, parts: [] } : undefined;

interface InNeighbourhood {
  neighbourhood: number;
}

/**
 * Builds a test for lying in a neighbourhood of the others. `times` is the number of calls, to choose the faster way.
 */
function isAmong(others: readonly InNeighbourhood[], times: number): (each: InNeighbourhood) => boolean {
  if (others.length === 0 || times === 0) return () => false;
  if (times === 1) return ({ neighbourhood }) => others.some((other) => other.neighbourhood === neighbourhood);
  const known = new Set(others.map(({ neighbourhood }) => neighbourhood));
  return ({ neighbourhood }) => known.has(neighbourhood);
}

const narrowed = <T>(values: readonly T[], holds: (value: T) => boolean): readonly T[] => {
  const left = values.filter(holds);
  return left.length > 0 ? left : values;
};

/** Estimate for a part of a street, from the known points of its neighbourhood and of its CEP. */
function estimateOf({ neighbourhood, postalCode }: StreetPart, cities: CityTable) {
  const { code, estimate } = cities.neighbourhoodAt(neighbourhood);
  const about: Estimate[] = postalCodeEvidence(cities.postalCodesNear(code, postalCode), postalCode);
  if (estimate) about.push(estimate);
  return about.length === 0 ? [] : [{ ...joined(about, doubts.parts), weight: 1 }];
}

const municipalities = allMunicipalities();

/** Count of neighbouring seats that tell how large a municipality is. */
const SEATS = 6;
/** Metres from the town's middle to an address in the countryside (the median), for each metre of the extent. */
const USUAL_SHARE = 0.8;

/**
 * Usual metres from the middle of a town to an address in the countryside around it. Where seats are far apart,
 * municipalities are large.
 */
const ruralMetresOf = computedOnce((municipality: Municipality): number => {
  // The metres to the nearest seats, in ascending order. The first is the municipality's own seat.
  const nearest: number[] = [];
  for (const { seat } of municipalities) {
    const metres = metresBetween(municipality.seat, seat);
    if (nearest.length > SEATS && metres >= (nearest[SEATS] ?? 0)) continue;
    const at = nearest.findIndex((other) => other > metres);
    nearest.splice(at < 0 ? nearest.length : at, 0, metres);
    nearest.length = Math.min(nearest.length, SEATS + 1);
  }
  return (USUAL_SHARE * (nearest[SEATS] ?? 0)) / Math.sqrt(SEATS);
});
