import { type CityFound, type CitySearch, found } from './city-with-state.js';
import { districtIn } from './district.js';
import { municipalitiesNamed, ownersOfDistrict } from './gazetteer.js';
import { expandedKey, nameAtEnd } from './locality.js';
import { ambiguous, contradiction, fullName, oneOf, unknown } from './reading.js';
import { isNumberWord, isStreetWord, type Segment } from './segments.js';

const FORM = 'Write it as "street, number - district, city - UF, CEP".';

/** The city in the last segment, in the state that the CEP tells. */
export function cityInState(segments: readonly Segment[], state: string): CitySearch {
  const at = segments.length - 1;
  const words = segments[at] ?? [];
  const named = nameAtEnd(words, state);
  if (named && (named.before.length === 0 || !named.before.some(isStreetWord) || isNumberWord(named.before.at(-1))))
    return found(named.municipality, at, named.before);
  const before = cityThenDistrict(segments, at);
  if (before) return before;
  const elsewhere = municipalitiesNamed(words.join(' '));
  if (elsewhere.length > 0) return contradiction(`The CEP is of ${state}, but the address says ${oneOf(elsewhere)}.`);
  return unknown(
    `The city was not understood: the address names no municipality of ${state}, the state of its CEP. ${FORM}`,
  );
}

/** `Santos, Centro`: the last segment is a district of the city before it. */
function cityThenDistrict(segments: readonly Segment[], at: number): CityFound | undefined {
  const [municipality, ...others] = municipalitiesNamed(expandedKey(segments[at - 1] ?? []));
  if (municipality === undefined || others.length > 0) return undefined;
  const last = segments[at] ?? [];
  const isDistrict = last.join(' ') === 'centro' || districtIn(last, municipality) !== undefined;
  return isDistrict ? found(municipality, at - 1) : undefined;
}

/** The words that may be a city's name: the segment, or what follows a house number in it. */
function bareName(segment: Segment): Segment {
  let from = 0;
  segment.forEach((word, index) => {
    if (isNumberWord(word)) from = index + 1;
  });
  return from < segment.length ? segment.slice(from) : segment;
}

/** The city in the last segment when nothing tells the state: only a name that means one place in Brazil will do. */
export function cityAnywhere(segments: readonly Segment[]): CitySearch {
  const at = segments.length - 1;
  const words = bareName(segments[at] ?? []);
  const key = words.join(' ');
  const before = cityThenDistrict(segments, at);
  if (before) return before;
  const written = municipalitiesNamed(key);
  const named = written.length > 0 ? written : municipalitiesNamed(expandedKey(words));
  const [only] = named;
  if (only === undefined) return unknown(`Neither city nor state was understood. ${FORM}`);
  if (named.length > 1) return ambiguous(`The city may be ${oneOf(named)}: write the state.`);
  const owners = ownersOfDistrict(key).filter((owner) => owner !== only);
  if (owners.length > 0)
    return ambiguous(
      `The address may name the municipality ${fullName(only)} or a district of ${oneOf(owners)}: write city and state.`,
    );
  return found(only, at);
}
