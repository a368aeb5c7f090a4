import { isListedPostalCode } from '../places/city-places.js';
import type { Municipality } from '../places/municipalities.js';
import { mayBeOfState, municipalitiesOfPostalCode } from '../places/postal-codes.js';
import { citiesNamed, isNeighbourhoodOf, mentionIn, misspelledCity, wholeName } from './locality.js';
import { type CityMatch, type CitySearch, cityMatch, fullName, type NotRead, notRead, oneOf } from './reading.js';
import type { Segment } from './segments.js';

interface WrittenCode {
  digits: string;
  /** The segments of the address that may be names. */
  names: readonly Segment[];
  /** True if the address names a state beside its city. */
  hasState: boolean;
}

interface PostalCode {
  digits: string;
  likely: Municipality;
  /** All municipalities to which the CEP may belong. */
  cities: readonly Municipality[];
}

const ofNone = (): NotRead => notRead('unknown', 'The CEP belongs to no municipality. Check its digits.');

/** The city that the names and the CEP agree on. */
export function agreed(named: CitySearch, { digits, names, hasState }: WrittenCode): CitySearch {
  // People write eight equal digits for an unknown CEP, even if a range has that number.
  if (/^(.)\1*$/.test(digits)) return ofNone();
  const cities = municipalitiesOfPostalCode(digits);
  const [likely] = cities;
  if (likely === undefined)
    return named.ok && hasState && mayBeOfState(digits, named.municipality.state) ? elsewhere(named) : ofNone();
  const city = agreedWith(named, { digits, likely, cities }, names);
  const isDoubted = !city.ok && named.ok && hasState && cities.some(({ state }) => state === named.municipality.state);
  return isDoubted && !isListedPostalCode(digits) ? elsewhere(named) : city;
}

/** Accepts a CEP that no table lists as one of the city. Correios gives towns new ranges, and takes old ones back. */
const elsewhere = (city: CityMatch): CityMatch => ({ ...city, isPostalCodeElsewhere: true });

function agreedWith(named: CitySearch, postalCode: PostalCode, names: readonly Segment[]): CitySearch {
  const matches = named.ok ? [named] : named.matches;
  if (matches === undefined) return named;
  const { likely, cities } = postalCode;
  const [fit, ...others] = matches.filter(({ municipality }) => cities.includes(municipality));
  if (fit) return others.length === 0 ? fit : named;
  const last = names.at(-1) ?? [];
  const written = isNeighbourhoodOf(likely, last) ? undefined : mentionIn(last)?.state;
  if (matches.length === 0) return cityOfPostalCode(postalCode, names, written);
  const isNeighbourhood = matches.every(({ at }) => isNeighbourhoodOf(likely, names[at] ?? []));
  if (isNeighbourhood && written === undefined) return cityMatch(likely, names.length);
  return doesNotAgree(postalCode, oneOf(matches.map(({ municipality }) => municipality)));
}

/** The city of the CEP, if the names give none. `written` is the state that the names give. */
function cityOfPostalCode(postalCode: PostalCode, names: readonly Segment[], written?: string): CitySearch {
  const { likely, cities } = postalCode;
  if (written !== undefined && written !== likely.state) return doesNotAgree(postalCode, written);
  const last = names.at(-1) ?? [];
  const spelled = wholeName(last, likely.state) ?? misspelledCity(last, likely.state);
  if (spelled && cities.includes(spelled)) return cityMatch(spelled, names.length - 1);
  const others = names.filter((words) => !isNeighbourhoodOf(likely, words)).map(citiesNamed);
  const other = others.find((namesakes) => namesakes.length === 1)?.[0] ?? spelled;
  return other && !cities.includes(other) ? doesNotAgree(postalCode, fullName(other)) : cityMatch(likely, names.length);
}

const doesNotAgree = ({ cities }: PostalCode, says: string): NotRead =>
  notRead(
    'contradiction',
    `The CEP is of ${oneOf(cities)}, but the address says ${says}: correct the one that is wrong.`,
  );
