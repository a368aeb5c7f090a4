import { onlyOne } from '../../base/values.js';
import { type Municipality, municipalityNamed, municipalityOneLetterOff } from '../places/municipalities.js';
import {
  capitalMeantBy,
  citiesNamed,
  isNeighbourhoodOf,
  mentionIn,
  misspelledCity,
  type NameAtEnd,
  nameAfterNeighbourhood,
  nameAtEnd,
  ownersOf,
  type StateMention,
  wholeName,
  withoutState,
} from './locality.js';
import { capitalWithStreet, cityAfterStreet, cityInStreet } from './lone-city.js';
import type { Parts } from './parts.js';
import {
  type CityMatch,
  type CitySearch,
  cityMatch,
  fullName,
  type NamedStreet,
  type NotRead,
  notRead,
  oneOf,
} from './reading.js';
import type { Segment } from './segments.js';

/** The city beside a written state. A state in the last segment is final, right or wrong. */
export function cityWithState({ names, street }: Parts): CitySearch | undefined {
  const last = names.length - 1;
  if (last < 0) return street && cityInStreet(street.words);
  const mention = mentionIn(names[last] ?? []);
  if (mention) return cityOfLast(names, mention) ?? notInState(names, mention, street);
  const city = lastCityWithState(names, last - 1);
  return city && orLastName(city, names);
}

function lastCityWithState(names: readonly Segment[], from: number): CityMatch | undefined {
  for (let at = from; at >= 0; at--) {
    const mention = mentionIn(names[at] ?? []);
    const city = mention && cityBeside(names, at, mention);
    if (city?.ok) return city;
  }
  return undefined;
}

/** `Santos/SP, Gonzaga`: a neighbourhood follows a city with its state, unless the name can only be another city. */
function orLastName(city: CityMatch, names: readonly Segment[]): CitySearch {
  const at = names.length - 1;
  const last = names[at] ?? [];
  const others = citiesNamed(last);
  if (others.length === 0 || others.includes(city.municipality)) return city;
  if (isNeighbourhoodOf(city.municipality, last)) return city;
  const cities = [city, ...others.map((other) => cityMatch(other, at))];
  return notRead(
    'ambiguous',
    `The address names several cities, ${oneOf(cities.map(({ municipality }) => municipality))}: write one only, with its UF.`,
    cities,
  );
}

function cityOfLast(names: readonly Segment[], mention: StateMention): CitySearch | undefined {
  const at = names.length - 1;
  const own = cityBeside(names, at, mention);
  if (own) return own;
  const inside = withoutState(names[at] ?? [], mention);
  const other = inside.length === 0 ? lastCityWithState(names, at - 1) : undefined;
  // The address names two states, as in `Santos - SP, São Paulo`: the UF beside the city decides.
  if (other && (other.municipality.state === mention.state || isNeighbourhoodOf(other.municipality, names[at] ?? [])))
    return other;
  if (other)
    return notRead(
      'contradiction',
      `The address names two states, ${other.municipality.state} and ${mention.state}: write one only.`,
    );
  const capital = capitalMeantBy(mention);
  return capital && cityMatch(capital, at, inside);
}

/** The city in the words before a state. If the state stands alone in its segment, the segment before it counts. */
function cityBeside(names: readonly Segment[], at: number, mention: StateMention): CitySearch | undefined {
  const inside = withoutState(names[at] ?? [], mention);
  const cityAt = inside.length > 0 ? at : at - 1;
  const words = inside.length > 0 ? inside : (names[cityAt] ?? []);
  const name =
    inside.length > 0 || !capitalMeantBy(mention) ? nameAtEnd(words, mention.state) : nameAlone(words, mention);
  const first = ownerOf(words, wholeName(names[cityAt - 1] ?? [], mention.state));
  if (name)
    return orNeighbourhood(cityMatch(name.municipality, cityAt, name.before), names, [
      first && cityMatch(first, cityAt - 1),
      capitalAround(words, cityAt, mention),
    ]);
  if (first) return cityMatch(first, cityAt - 1);
  return mention.state === 'DF' ? federalDistrict(Math.max(cityAt, 0), words) : undefined;
}

/** The city before a state that may mean its capital. A part of a name is no city then: `Doutor Santos, São Paulo`. */
function nameAlone(words: Segment, { state }: StateMention): NameAtEnd | undefined {
  const municipality = wholeName(words, state) ?? misspelledCity(words, state);
  return municipality ? { municipality, before: [] } : nameAfterNeighbourhood(words, state);
}

/** `Santos, Gonzaga, SP`: the municipality, if it has a neighbourhood of that name. */
const ownerOf = (neighbourhood: Segment, municipality: Municipality | undefined): Municipality | undefined =>
  municipality && isNeighbourhoodOf(municipality, neighbourhood) ? municipality : undefined;

/** The capital, if the words are one of its neighbourhoods: `Socorro, São Paulo`. */
function capitalAround(words: Segment, at: number, mention: StateMention): CityMatch | undefined {
  const capital = ownerOf(words, capitalMeantBy(mention));
  return capital && cityMatch(capital, at, words);
}

/** The city. Refuses it as ambiguous if its name may be a neighbourhood of another city (`owners`) in the address. */
function orNeighbourhood(
  city: CityMatch,
  names: readonly Segment[],
  owners: readonly (CityMatch | undefined)[],
): CitySearch {
  const owner = owners.find((match) => match && match.municipality !== city.municipality);
  if (!owner || city.before.length > 0) return city;
  if (isNeighbourhoodOf(city.municipality, names[city.at - 1] ?? [])) return city;
  return eitherCity(city, owner);
}

const eitherCity = (city: CityMatch, owner: CityMatch): NotRead =>
  notRead(
    'ambiguous',
    `The address may name the municipality ${fullName(city.municipality)} or a neighbourhood of ${fullName(owner.municipality)}: write neighbourhood, city and UF, or the CEP.`,
    [city, owner],
  );

/** The Federal District is one municipality. A name before DF is a part of it, unless the name is a city elsewhere. */
function federalDistrict(at: number, words: Segment): CityMatch | undefined {
  const brasilia = municipalityNamed('brasilia', 'DF');
  if (brasilia === undefined) return undefined;
  const isElsewhere = citiesNamed(words).length > 0 && !isNeighbourhoodOf(brasilia, words);
  return isElsewhere ? undefined : cityMatch(brasilia, at, words);
}

function notInState(names: readonly Segment[], mention: StateMention, street?: NamedStreet): CitySearch {
  const at = names.length - 1;
  const inside = withoutState(names[at] ?? [], mention);
  const words = inside.length > 0 ? inside : (names[at - 1] ?? []);
  if (words.length === 0)
    return (street && cityOfStreet(street, mention, at)) ?? noCityOf(mention, names[at] ?? [], at);
  const elsewhere = citiesNamed(words);
  const owner = elsewhere.length === 0 ? onlyOne(ownersOf(words, mention.state)) : undefined;
  if (owner) return orMisspelled(cityMatch(owner, at, inside), words);
  if (elsewhere.length === 0)
    return notRead(
      'unknown',
      `The city was not understood: the name before the state is no municipality of ${mention.state}. Check its spelling, or write the CEP.`,
      [],
    );
  return notRead(
    'contradiction',
    `City and state do not fit: ${mention.state} has no city of that name, but there is ${oneOf(elsewhere)}.`,
    [],
  );
}

/** The neighbourhood's city: `Copacabana, RJ`. Ambiguous if a city's name is one letter off, as Mococa is off Mooca. */
function orMisspelled(city: CityMatch, words: Segment): CitySearch {
  const other = municipalityOneLetterOff(words.join(' '), city.municipality.state);
  return other && other !== city.municipality ? eitherCity(cityMatch(other, city.at), city) : city;
}

const cityOfStreet = ({ words, number }: NamedStreet, mention: StateMention, at: number): CityMatch | undefined =>
  cityAfterStreet(words, mention.state) ?? (number === undefined ? undefined : capitalWithStreet(words, at, mention));

/** Refuses a state without a city: `Rua A, Paraná`. It is ambiguous if a municipality has the name of the state. */
function noCityOf({ state }: StateMention, segment: Segment, at: number): NotRead {
  const namesakes = citiesNamed(segment);
  if (namesakes.length === 0)
    return notRead(
      'unknown',
      `The address names no city of ${state}: write the city before the state, or the CEP.`,
      [],
    );
  return notRead(
    'ambiguous',
    `The address may name the state ${state} only, or ${oneOf(namesakes)}: write city and UF, or the CEP.`,
    namesakes.map((city) => cityMatch(city, at)),
  );
}
