import { districtIn } from './district.js';
import { type Municipality, municipalitiesNamed, municipalityNamed } from './gazetteer.js';
import { capitalMeantBy, nameAtEnd, type StateMention, stateAtEnd, wholeName } from './locality.js';
import { ambiguous, contradiction, fullName, type NotRead, oneOf, unknown } from './reading.js';
import { isStreetWord, type Segment } from './segments.js';
import { isConnector } from './spelling.js';
import { stateByCode } from './states.js';

/** A municipality and the segment that names it; `before` is what that segment says besides. */
export interface CityFound {
  ok: true;
  municipality: Municipality;
  at: number;
  before: Segment;
}

export type CitySearch = CityFound | NotRead | undefined;

export function found(municipality: Municipality, at: number, before: Segment = []): CityFound {
  return { ok: true, municipality, at, before };
}

/** A state ends the segment, yet as part of a street's name: `Praça da Sé`, `Rua Acre`. */
function isPartOfStreet(before: Segment): boolean {
  const last = before.at(-1) ?? '';
  return isStreetWord(last) || (isConnector(last) && before.some(isStreetWord));
}

/** The Federal District is one municipality, so what stands before DF is a part of it, unless it is a city elsewhere. */
function federalDistrict(at: number, words: Segment): CityFound | undefined {
  const brasilia = municipalityNamed('brasilia', 'DF');
  if (brasilia === undefined) return undefined;
  const elsewhere = municipalitiesNamed(words.join(' ')).length > 0 && !districtIn(words, brasilia);
  return elsewhere ? undefined : found(brasilia, at, words);
}

/** `Santos, Centro, SP`: the city stands before its district. */
function cityBeforeDistrict(segments: readonly Segment[], at: number, state: string): CityFound | undefined {
  const municipality = wholeName(segments[at - 1] ?? [], state);
  const middle = segments[at] ?? [];
  const isDistrict = municipality && (middle.join(' ') === 'centro' || districtIn(middle, municipality));
  return municipality && isDistrict ? found(municipality, at - 1) : undefined;
}

/** `Socorro, São Paulo` is a city of the state or a district of its capital, and nothing in it tells which. */
function orDistrictOfCapital(city: CityFound, words: Segment, mention: StateMention, inCapital: boolean): CitySearch {
  const capital = capitalMeantBy(mention);
  if (capital === undefined || capital === city.municipality || !districtIn(words, capital)) return city;
  if (inCapital) return found(capital, city.at, words);
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
  const named = nameAtEnd(words, mention.state);
  if (named) return orDistrictOfCapital(found(named.municipality, cityAt, named.before), words, mention, inCapital);
  const inDistrict = mention.state === 'DF' ? federalDistrict(cityAt, words) : undefined;
  if (inDistrict) return inDistrict;
  const capital = capitalMeantBy(mention);
  if (capital) return found(capital, at, inside);
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
