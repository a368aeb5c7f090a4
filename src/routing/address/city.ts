import {
  type Municipality,
  municipalitiesNamed,
  municipalityNamed,
  ownersOfDistrict,
} from '../places/municipalities.js';
import {
  capitalMeantBy,
  districtIn,
  expandedKey,
  nameAtEnd,
  type StateMention,
  stateAtEnd,
  wholeName,
} from './locality.js';
import { ambiguous, contradiction, fullName, type NotRead, oneOf, unknown } from './reading.js';
import { isNumberWord, isStreetWord, type Segment } from './segments.js';
import { isConnector } from './spelling.js';
import { stateByCode } from './states.js';

const FORM = 'Write it as "street, number - district, city - UF, CEP".';

/** A municipality and the segment that names it; `before` is what that segment says besides. */
export interface CityMatch {
  ok: true;
  municipality: Municipality;
  at: number;
  before: Segment;
}

export type CitySearch = CityMatch | NotRead | undefined;

export function cityMatch(municipality: Municipality, at: number, before: Segment = []): CityMatch {
  return { ok: true, municipality, at, before };
}

/** A state ends the segment, yet as part of a street's name: `Praça da Sé`, `Rua Acre`. */
function isPartOfStreet(before: Segment): boolean {
  const last = before.at(-1) ?? '';
  return isStreetWord(last) || (isConnector(last) && before.some(isStreetWord));
}

/** The Federal District is one municipality, so what stands before DF is a part of it, unless it is a city elsewhere. */
function federalDistrict(at: number, words: Segment): CityMatch | undefined {
  const brasilia = municipalityNamed('brasilia', 'DF');
  if (brasilia === undefined) return undefined;
  const elsewhere = municipalitiesNamed(words.join(' ')).length > 0 && !districtIn(words, brasilia);
  return elsewhere ? undefined : cityMatch(brasilia, at, words);
}

/** `Santos, Centro, SP`: the city stands before its district. */
function cityBeforeDistrict(segments: readonly Segment[], at: number, state: string): CityMatch | undefined {
  const municipality = wholeName(segments[at - 1] ?? [], state);
  const middle = segments[at] ?? [];
  const isDistrict = municipality && (middle.join(' ') === 'centro' || districtIn(middle, municipality));
  return municipality && isDistrict ? cityMatch(municipality, at - 1) : undefined;
}

/** `Socorro, São Paulo` is a city of the state or a district of its capital, and nothing in it says which. */
function orDistrictOfCapital(city: CityMatch, words: Segment, mention: StateMention, inCapital: boolean): CitySearch {
  const capital = capitalMeantBy(mention);
  if (capital === undefined || capital === city.municipality || !districtIn(words, capital)) return city;
  if (inCapital) return cityMatch(capital, city.at, words);
  return ambiguous(
    `The address may name the municipality ${fullName(city.municipality)} or a district of ${capital.name}: write the city and the UF.`,
  );
}

function notInState(words: Segment, mention: StateMention): NotRead {
  const elsewhere = municipalitiesNamed(words.join(' '));
  if (elsewhere.length > 0)
    return contradiction(
      `City and state do not fit: ${mention.state} has no city of that name, but there is ${oneOf(elsewhere)}.`,
    );
  return unknown(
    `The city was not understood: the name before the state is no municipality of ${mention.state}. Check its spelling.`,
  );
}

/** The city that goes with a state written at the end of segment `at`. */
function cityOfMention(
  segments: readonly Segment[],
  at: number,
  mention: StateMention,
  inCapital: boolean,
): CitySearch {
  const inside = segments[at]?.slice(0, -mention.words) ?? [];
  const cityAt = inside.length > 0 ? at : at - 1;
  const words = inside.length > 0 ? inside : (segments[cityAt] ?? []);
  const name = nameAtEnd(words, mention.state);
  if (name) return orDistrictOfCapital(cityMatch(name.municipality, cityAt, name.before), words, mention, inCapital);
  const inDistrict = mention.state === 'DF' ? federalDistrict(cityAt, words) : undefined;
  if (inDistrict) return inDistrict;
  const capital = capitalMeantBy(mention);
  if (capital) return cityMatch(capital, at, inside);
  const before = inside.length === 0 ? cityBeforeDistrict(segments, cityAt, mention.state) : undefined;
  if (before) return before;
  return words.length === 0 ? unknown(`The address names no city of ${mention.state}.`) : notInState(words, mention);
}

/** The state of a segment that is nothing but a UF. */
function bareCode(segment: Segment | undefined): string | undefined {
  return segment?.length === 1 ? stateByCode(segment[0] ?? '') : undefined;
}

/** A segment that ends in a state's name may as a whole be a municipality's: `Crixás do Tocantins`. */
function isWholeName(segment: Segment, mention: StateMention): boolean {
  return segment.length > mention.words && municipalitiesNamed(segment.join(' ')).length > 0;
}

/**
 * Looks for a city beside a written state, from the end of the address. What the last segment says of a state is
 * final, right or wrong; further left a state that fits no city is taken for a part of something else.
 */
export function cityWithState(segments: readonly Segment[], inCapital: boolean): CitySearch {
  let last = segments.length - 1;
  for (let at = last; at >= 0; at--) {
    const segment = segments[at] ?? [];
    const mention = stateAtEnd(segment);
    if (!mention || isWholeName(segment, mention)) continue;
    if (isPartOfStreet(segment.slice(0, -mention.words))) continue;
    const other = segment.length === mention.words ? bareCode(segments[at - 1]) : undefined;
    if (other !== undefined && other !== mention.state)
      return contradiction(`The address names two states, ${other} and ${mention.state}.`);
    if (other !== undefined) {
      // The state is named twice, as in `Santos - SP, São Paulo`: the UF beside the city decides.
      if (at === last) last--;
      continue;
    }
    const city = cityOfMention(segments, at, mention, inCapital);
    if (city?.ok || at === last) return city;
  }
  return undefined;
}

/** The city in the last segment, in the state of the CEP. */
export function cityInState(segments: readonly Segment[], state: string): CitySearch {
  const at = segments.length - 1;
  const words = segments[at] ?? [];
  const name = nameAtEnd(words, state);
  if (name && (name.before.length === 0 || !name.before.some(isStreetWord) || isNumberWord(name.before.at(-1))))
    return cityMatch(name.municipality, at, name.before);
  const before = cityThenDistrict(segments, at);
  if (before) return before;
  const elsewhere = municipalitiesNamed(words.join(' '));
  if (elsewhere.length > 0) return contradiction(`The CEP is of ${state}, but the address says ${oneOf(elsewhere)}.`);
  return unknown(
    `The city was not understood: the address names no municipality of ${state}, the state of its CEP. ${FORM}`,
  );
}

/** `Santos, Centro`: the last segment is a district of the city before it. */
function cityThenDistrict(segments: readonly Segment[], at: number): CityMatch | undefined {
  const [municipality, ...others] = municipalitiesNamed(expandedKey(segments[at - 1] ?? []));
  if (municipality === undefined || others.length > 0) return undefined;
  const last = segments[at] ?? [];
  const isDistrict = last.join(' ') === 'centro' || districtIn(last, municipality) !== undefined;
  return isDistrict ? cityMatch(municipality, at - 1) : undefined;
}

/** The words that may be a city's name: the segment, or what follows a house number in it. */
function bareName(segment: Segment): Segment {
  let from = 0;
  segment.forEach((word, index) => {
    if (isNumberWord(word)) from = index + 1;
  });
  return from < segment.length ? segment.slice(from) : segment;
}

/** The city in the last segment when nothing says the state: only a name that means one place in Brazil will do. */
export function cityAnywhere(segments: readonly Segment[]): CitySearch {
  const at = segments.length - 1;
  const words = bareName(segments[at] ?? []);
  const key = words.join(' ');
  const before = cityThenDistrict(segments, at);
  if (before) return before;
  const exact = municipalitiesNamed(key);
  const candidates = exact.length > 0 ? exact : municipalitiesNamed(expandedKey(words));
  const [only] = candidates;
  if (only === undefined) return unknown(`Neither city nor state was understood. ${FORM}`);
  if (candidates.length > 1) return ambiguous(`The city may be ${oneOf(candidates)}: write the state.`);
  const owners = ownersOfDistrict(key).filter((owner) => owner !== only);
  if (owners.length > 0)
    return ambiguous(
      `The address may name the municipality ${fullName(only)} or a district of ${oneOf(owners)}: write city and state.`,
    );
  return cityMatch(only, at);
}
