import { municipalitiesWithStreet, streetOf } from '../places/city-places.js';
import { type Municipality, municipalityNamed } from '../places/municipalities.js';
import {
  capitalMeantBy,
  citiesNamed,
  endsOf,
  isNeighbourhoodAnywhere,
  isNeighbourhoodOf,
  type NameAtEnd,
  nameAfterNeighbourhood,
  nameAtEnd,
  type StateMention,
  stateAtEnd,
  wholeName,
} from './locality.js';
import type { Parts } from './parts.js';
import { fullName, type NotRead, oneOf } from './reading.js';
import { leadsLongerName, type Segment } from './segments.js';
import { isConnector } from './spelling.js';

/** A municipality and which of the names names it; `before` is what that segment says besides. */
export interface CityMatch {
  ok: true;
  municipality: Municipality;
  /** -1 where it ends the street's own segment. */
  at: number;
  before: Segment;
}

/** No city, or no one city; a CEP may choose among `matches`, or say the city where there are none. */
export interface NoCity extends NotRead {
  /** Absent where no CEP can help. */
  matches?: readonly CityMatch[];
}

export type CitySearch = CityMatch | NoCity;

export function cityMatch(municipality: Municipality, at: number, before: Segment = []): CityMatch {
  return { ok: true, municipality, at, before };
}

export function notUnderstood(message: string): NoCity {
  return { ok: false, reason: 'unknown', message, matches: [] };
}

export function severalCities(message: string, matches: readonly CityMatch[]): NoCity {
  return { ok: false, reason: 'ambiguous', message, matches };
}

/** The state that ends a segment, unless it is a part of a name: `Crixás do Tocantins`, `Freguesia da Sé`, `Jardim São Paulo`. */
export function mentionIn(segment: Segment): StateMention | undefined {
  const mention = stateAtEnd(segment);
  if (!mention || mention.words === segment.length) return mention;
  const inside = withoutState(segment, mention);
  const isPart = isConnector(inside.at(-1) ?? '') || citiesNamed(segment).length > 0;
  return isPart || (!mention.isCode && isLongerName(segment, inside, mention.state)) ? undefined : mention;
}

function isLongerName(segment: Segment, inside: Segment, state: string): boolean {
  if (wholeName(inside, state)) return false;
  return leadsLongerName(inside.at(-1) ?? '') || isNeighbourhoodAnywhere(segment);
}

const withoutState = (segment: Segment, mention: StateMention): Segment => segment.slice(0, -mention.words);

/**
 * The city beside a written state; undefined where no state ends the address and none further left stands beside one of its
 * cities. What the last segment says of a state is final, right or wrong.
 */
export function cityWithState({ names, street }: Parts): CitySearch | undefined {
  const last = names.length - 1;
  if (last < 0) return street && cityInStreet(street.words);
  const mention = mentionIn(names[last] ?? []);
  if (mention) return cityOfLast(names, mention) ?? notInState(names, mention, street?.words);
  const city = lastCityWithState(names, last - 1);
  return city && orLastName(city, names);
}

/** The city beside a state that is nearest to the end. */
function lastCityWithState(names: readonly Segment[], from: number): CityMatch | undefined {
  for (let at = from; at >= 0; at--) {
    const mention = mentionIn(names[at] ?? []);
    const city = mention && cityBeside(names, at, mention);
    if (city?.ok) return city;
  }
  return undefined;
}

/** `Santos/SP, Gonzaga`: what follows a city with its state is a neighbourhood, unless it can only be another city. */
function orLastName(city: CityMatch, names: readonly Segment[]): CitySearch {
  const at = names.length - 1;
  const last = names[at] ?? [];
  const others = citiesNamed(last);
  if (others.length === 0 || others.includes(city.municipality)) return city;
  if (isNeighbourhoodOf(city.municipality, last) || isNeighbourhoodAnywhere(last)) return city;
  const cities = [city, ...others.map((other) => cityMatch(other, at))];
  return severalCities(
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
  // The state is named twice, as in `Santos - SP, São Paulo`: the UF beside the city decides.
  if (other && (other.municipality.state === mention.state || isNeighbourhoodOf(other.municipality, names[at] ?? [])))
    return other;
  if (other) return twoStates(other.municipality.state, mention.state);
  const capital = capitalMeantBy(mention);
  return capital && cityMatch(capital, at, inside);
}

const twoStates = (state: string, other: string): NoCity => ({
  ok: false,
  reason: 'contradiction',
  message: `The address names two states, ${state} and ${other}: write one only.`,
});

/** The city in the words before a state: in its segment, or where the state stands alone in the segment before. */
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
  return mention.state === 'DF' ? federalDistrict(cityAt, words) : undefined;
}

/** Beside a state that may be its capital, no part of a segment is a city: `Doutor Santos, São Paulo`. */
function nameAlone(words: Segment, { state }: StateMention): NameAtEnd | undefined {
  const municipality = wholeName(words, state);
  return municipality ? { municipality, before: [] } : nameAfterNeighbourhood(words, state);
}

/** `Santos, Gonzaga, SP`: the municipality, if it has a neighbourhood of that name. */
function ownerOf(neighbourhood: Segment, municipality: Municipality | undefined): Municipality | undefined {
  return municipality && isNeighbourhoodOf(municipality, neighbourhood) ? municipality : undefined;
}

/** `Socorro, São Paulo`: the capital, where the words are a neighbourhood of it. */
function capitalAround(words: Segment, at: number, mention: StateMention): CityMatch | undefined {
  const capital = ownerOf(words, capitalMeantBy(mention));
  return capital && cityMatch(capital, at, words);
}

/** The city, unless its name may as well be that of a neighbourhood of another one that is written there. */
function orNeighbourhood(
  city: CityMatch,
  names: readonly Segment[],
  owners: readonly (CityMatch | undefined)[],
): CitySearch {
  const isSure = city.before.length > 0 || isNeighbourhoodOf(city.municipality, names[city.at - 1] ?? []);
  const owner = owners.find((match) => match && match.municipality !== city.municipality);
  if (isSure || !owner) return city;
  return severalCities(
    `The address may name the municipality ${fullName(city.municipality)} or a neighbourhood of ${fullName(owner.municipality)}: write neighbourhood, city and UF, or the CEP.`,
    [city, owner],
  );
}

/** The Federal District is one municipality, so what stands before DF is a part of it, unless it is a city elsewhere. */
function federalDistrict(at: number, words: Segment): CityMatch | undefined {
  const brasilia = municipalityNamed('brasilia', 'DF');
  if (brasilia === undefined) return undefined;
  const isElsewhere = citiesNamed(words).length > 0 && !isNeighbourhoodOf(brasilia, words);
  return isElsewhere ? undefined : cityMatch(brasilia, at, words);
}

function notInState(names: readonly Segment[], mention: StateMention, street: Segment = []): CitySearch {
  const at = names.length - 1;
  const inside = withoutState(names[at] ?? [], mention);
  const words = inside.length > 0 ? inside : (names[at - 1] ?? []);
  if (words.length === 0) return cityAfterStreet(street, mention.state) ?? noCityOf(mention, names[at] ?? [], at);
  const elsewhere = citiesNamed(words);
  if (elsewhere.length === 0)
    return notUnderstood(
      `The city was not understood: the name before the state is no municipality of ${mention.state}. Check its spelling, or write the CEP.`,
    );
  const message = `City and state do not fit: ${mention.state} has no city of that name, but there is ${oneOf(elsewhere)}.`;
  return { ok: false, reason: 'contradiction', message, matches: [] };
}

/** `Rua A, Paraná`: a state without a city, unless its name is that of a municipality too. */
function noCityOf({ state }: StateMention, segment: Segment, at: number): NoCity {
  const namesakes = citiesNamed(segment);
  if (namesakes.length === 0)
    return notUnderstood(`The address names no city of ${state}: write the city before the state, or the CEP.`);
  return severalCities(
    `The address may name the state ${state} only, or ${oneOf(namesakes)}: write city and UF, or the CEP.`,
    namesakes.map((city) => cityMatch(city, at)),
  );
}

/** `rua padre chagas porto alegre rs`: an address in one piece, unless the whole of it is a street's name. */
function cityInStreet(words: Segment): CitySearch | undefined {
  const mention = mentionIn(words);
  if (!mention) return undefined;
  const inside = withoutState(words, mention);
  const name = isStreet(inside) ? undefined : nameAtEnd(inside, mention.state);
  if (name && name.before.length > 0) return cityMatch(name.municipality, -1, name.before);
  const capital = capitalMeantBy(mention);
  return capital && streetOf(capital, inside.join(' ')) ? cityMatch(capital, -1, inside) : undefined;
}

/** Whether all of the words are the name of a street somewhere. */
const isStreet = (words: Segment): boolean => municipalitiesWithStreet(words.join(' ')).length > 0;

/** `rua padre chagas porto alegre`: a city after the name of a street that it is known to have. */
export function cityAfterStreet(words: Segment, state?: string): CityMatch | undefined {
  if (isStreet(words)) return undefined;
  for (const [before, name] of endsOf(words)) {
    const [city, ...others] = state === undefined ? citiesNamed(name) : [wholeName(name, state)];
    if (city && others.length === 0 && streetOf(city, before.join(' '))) return cityMatch(city, -1, before);
  }
  return undefined;
}
