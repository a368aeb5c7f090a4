import type { DetailCode, FieldError } from '../base/errors.js';
import { stateNames } from '../base/place.js';
import type { Area } from '../db/tables/areas.js';
import { municipalityOfCode } from '../routing/places/municipalities.js';

const MAX_PLACES = 20_000;
/** Most errors in one answer, as for a body that breaks its contract. */
const MAX_ERRORS = 100;

export const placeCount = (areas: readonly Area[]): number =>
  areas.reduce((sum, { states, municipalities, postalCodes }) => {
    return sum + states.length + municipalities.length + postalCodes.length;
  }, 0);

/** Finds the errors of a version. Each error would leave a place without an area, or with two. */
export function areaErrors(areas: readonly Area[]): FieldError[] {
  const count = placeCount(areas);
  if (count > MAX_PLACES)
    return [error('areas', 'too_many', `must name at most ${MAX_PLACES} places, and names ${count}`)];
  const places = areas.flatMap((area, at) => namedIn(area, `areas.${at}`));
  const errors = [
    ...areas.flatMap((area, at) => emptyErrors(area, `areas.${at}`)),
    ...places.flatMap(unknownErrors),
    ...duplicateErrors(places),
    ...rangeErrors(areas),
  ];
  return errors.slice(0, MAX_ERRORS);
}

const error = (field: string, code: DetailCode, message: string): FieldError => ({ field, code, message });

interface NamedPlace {
  field: string;
  /** The name of a state, or the code of a municipality. */
  name: string | number;
}

const namedIn = ({ states, municipalities }: Area, field: string): NamedPlace[] => [
  ...states.map((name, at) => ({ field: `${field}.states.${at}`, name })),
  ...municipalities.map((name, at) => ({ field: `${field}.municipalities.${at}`, name })),
];

function emptyErrors(area: Area, field: string): FieldError[] {
  if (placeCount([area]) > 0) return [];
  return [error(field, 'required', 'must name a state, a municipality or a range of CEPs')];
}

function unknownErrors({ field, name }: NamedPlace): FieldError[] {
  if (typeof name === 'string')
    return stateNames[name] === undefined ? [error(field, 'unknown_value', 'is not a state of Brazil')] : [];
  return municipalityOfCode(name) ? [] : [error(field, 'unknown_value', 'is not the IBGE code of a municipality')];
}

function duplicateErrors(places: readonly NamedPlace[]): FieldError[] {
  const firsts = new Map<string | number, string>();
  return places.flatMap(({ field, name }) => {
    const first = firsts.get(name);
    if (first === undefined) firsts.set(name, field);
    return first === undefined ? [] : [error(field, 'duplicate', `is named at ${first} too`)];
  });
}

function rangeErrors(areas: readonly Area[]): FieldError[] {
  const ranges = areas.flatMap(({ postalCodes }, area) =>
    postalCodes.map((range, at) => ({ ...range, field: `areas.${area}.postalCodes.${at}` })),
  );
  const reversed = ranges
    .filter(({ from, to }) => from > to)
    .map(({ field }) => error(field, 'contradiction', 'must begin at or before the CEP where it ends'));
  const sorted = ranges.filter(({ from, to }) => from <= to).sort((a, b) => Number(a.from) - Number(b.from));
  const overlaps: FieldError[] = [];
  let widest = sorted[0];
  for (const range of sorted.slice(1)) {
    if (widest && range.from <= widest.to)
      overlaps.push(error(range.field, 'overlap', `has CEPs in common with ${widest.field}`));
    if (!widest || range.to > widest.to) widest = range;
  }
  return [...reversed, ...overlaps];
}
