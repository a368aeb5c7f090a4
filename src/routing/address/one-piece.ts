import { municipalitiesWithStreet, streetOf } from '../places/city-places.js';
import { capitalMeantBy, citiesNamed, endsOf, mentionIn, nameAtEnd, wholeName, withoutState } from './locality.js';
import { type CityMatch, cityMatch } from './reading.js';
import type { Segment } from './segments.js';

/** `rua padre chagas porto alegre rs`: an address in one piece, unless the whole of it is a street's name. */
export function cityInStreet(words: Segment): CityMatch | undefined {
  const mention = mentionIn(words);
  if (!mention) return undefined;
  const inside = withoutState(words, mention);
  const name = isStreet(inside) ? undefined : nameAtEnd(inside, mention.state);
  if (name && name.before.length > 0) return cityMatch(name.municipality, -1, name.before);
  const capital = capitalMeantBy(mention);
  return capital && streetOf(capital, inside.join(' ')) ? cityMatch(capital, -1, inside) : undefined;
}

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
