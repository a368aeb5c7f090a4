import { onlyOne } from '../../base/values.js';
import { municipalitiesWithStreet, streetOf } from '../places/city-places.js';
import type { Municipality } from '../places/municipalities.js';
import {
  capitalMeantBy,
  citiesNamed,
  cityNamed,
  endsOf,
  isNeighbourhoodOf,
  mentionIn,
  nameAfterNeighbourhood,
  nameAtEnd,
  type StateMention,
  withoutState,
} from './locality.js';
import type { Parts } from './parts.js';
import { type CityMatch, type CitySearch, cityMatch, fullName, type NamedStreet, notRead, oneOf } from './reading.js';
import type { Segment } from './segments.js';
import { capitalOf } from './states.js';
import { nameKey } from './words.js';

/** Most cities that may have a street's name, if the name is to tell the city. */
const RARE = 10;

/** Finds the city at the end of an address without a state: the only one of its name or, without a CEP, a capital. */
export function cityAlone({ names, street }: Parts, hasPostalCode: boolean): CitySearch {
  const at = names.length - 1;
  const last = names[at];
  const first = last && cityBefore(last, names[at - 1] ?? []);
  const owner = first && cityMatch(first, at - 1);
  const namesakes = citiesNamed(last ?? []);
  const cities = (hasPostalCode ? namesakes : capitalAmong(namesakes)).map((city) => cityMatch(city, at));
  const [only] = cities;
  if (only === undefined) return owner ?? cityInPart(last, at, street) ?? notRead('unknown', NOTHING_UNDERSTOOD, []);
  if (owner && !cities.some(({ municipality }) => isNeighbourhoodOf(municipality, names[at - 1] ?? [])))
    return severalNames([owner, ...cities]);
  if (cities.length > 1) return severalNames(cities);
  if (!hasPostalCode && (ABROAD.has(last?.join(' ') ?? '') || (!street && isBeside(only, names))))
    return orAbroad(only);
  return names.length === 1 && street ? orElsewhere(only, namesakes, last ?? [], street) : only;
}

/** Names of Brazilian cities that usually mean a country or a city abroad. */
const ABROAD = new Set(['panama', 'colombia', 'buenos aires', 'nova iorque', 'barcelona']);

/** Tells whether a name before the city is no neighbourhood of it: `Paris, França` does not mean Franca. */
const isBeside = ({ municipality, at }: CityMatch, names: readonly Segment[]): boolean =>
  at > 0 && !isNeighbourhoodOf(municipality, names[at - 1] ?? []);

const orAbroad = (city: CityMatch): CitySearch =>
  notRead('ambiguous', `The address may lie abroad, or in ${fullName(city.municipality)}: write its UF, or the CEP.`, [
    city,
  ]);

const NOTHING_UNDERSTOOD =
  'Neither city nor state was understood. Write it as "street, number - neighbourhood, city - UF, CEP".';

/** Only the capital, if a capital has the name. Otherwise all the cities. */
function capitalAmong(cities: readonly Municipality[]): readonly Municipality[] {
  const capital = cities.find(isCapital);
  return capital ? [capital] : cities;
}

export const isCapital = ({ name, state }: Municipality): boolean => nameKey(name) === capitalOf(state);

/** The city that stands before one of its neighbourhoods: `Santos, Gonzaga`. */
function cityBefore(neighbourhood: Segment, words: Segment): Municipality | undefined {
  const city = onlyOne(capitalAmong(citiesNamed(words)));
  return city && isNeighbourhoodOf(city, neighbourhood) ? city : undefined;
}

function cityInPart(last: Segment | undefined, at: number, street: NamedStreet | undefined): CityMatch | undefined {
  if (last === undefined) return street && cityAfterStreet(street.words);
  const name = nameAfterNeighbourhood(last);
  return name && cityMatch(name.municipality, at, name.before);
}

function severalNames(matches: readonly CityMatch[]): CitySearch {
  const cities = oneOf(matches.map(({ municipality }) => municipality));
  return notRead('ambiguous', `The city may be ${cities}: write its UF, or the CEP.`, matches);
}

/**
 * Checks a city's name after a rare street that the city lacks. If a smaller city or a neighbourhood of the name has
 * that street, the address is ambiguous.
 */
function orElsewhere(
  city: CityMatch,
  namesakes: readonly Municipality[],
  words: Segment,
  street: NamedStreet,
): CitySearch {
  const owners = municipalitiesWithStreet(street.words);
  if (owners.length > RARE || owners.includes(city.municipality)) return city;
  const smaller = owners.filter((owner) => namesakes.includes(owner));
  if (smaller.length > 0) return severalNames([city, ...smaller.map((owner) => cityMatch(owner, city.at))]);
  const others = isCapital(city.municipality) ? [] : owners.filter((owner) => isNeighbourhoodOf(owner, words));
  if (others.length === 0) return city;
  return notRead(
    'ambiguous',
    `The address may name the municipality ${fullName(city.municipality)} or a neighbourhood of ${oneOf(others)}: write city and UF, or the CEP.`,
    [city, ...others.map((owner) => cityMatch(owner, city.at + 1, words))],
  );
}

/**
 * The city in an address without separators: `rua padre chagas porto alegre rs`. Not if all of it is a street's name.
 */
export function cityInStreet(words: Segment): CityMatch | undefined {
  const mention = mentionIn(words);
  if (!mention) return undefined;
  const inside = withoutState(words, mention);
  const name = isStreet(inside) ? undefined : nameAtEnd(inside, mention.state);
  if (name && name.before.length > 0) return cityMatch(name.municipality, -1, name.before);
  const capital = capitalMeantBy(mention);
  return capital && streetOf(capital, inside) ? cityMatch(capital, -1, inside) : undefined;
}

const isStreet = (words: Segment): boolean => municipalitiesWithStreet(words).length > 0;

/**
 * The capital for its state's UF (`Av. Paulista 1578 SP`), if it has nearly all of the state's addresses in that
 * street.
 */
export function capitalWithStreet(words: Segment, at: number, mention: StateMention): CityMatch | undefined {
  const capital = mention.isCode ? capitalMeantBy({ ...mention, isCode: false }) : undefined;
  const owners = municipalitiesWithStreet(words).filter(({ state }) => state === mention.state);
  const known = (city: Municipality): number => streetOf(city, words)?.points.length ?? 0;
  const others = owners.reduce((sum, owner) => sum + (owner === capital ? 0 : known(owner)), 0);
  return capital && known(capital) >= Math.max(5, 4 * others) ? cityMatch(capital, at) : undefined;
}

/** The city after the name of a street that is known there: `rua padre chagas porto alegre`. */
export function cityAfterStreet(words: Segment, state?: string): CityMatch | undefined {
  if (isStreet(words)) return undefined;
  for (const [before, name] of endsOf(words)) {
    const city = cityNamed(name, state);
    if (city && streetOf(city, before)) return cityMatch(city, -1, before);
  }
  return undefined;
}
