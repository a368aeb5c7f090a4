/** The words of streets' names whose usual spelling is another than the one that all spellings share. */
import { looseKey } from '../../src/routing/address/spelling.js';
import { nameKey } from '../../src/routing/address/words.js';
import type { StreetRow } from './sources.js';

/** Shorter words are kept as they are written. */
const SHORTEST = 4;

export function usualSpellings(streets: readonly Pick<StreetRow, 'street'>[]): string[] {
  const counts = new Map<string, number>();
  for (const { street } of streets)
    for (const word of nameKey(street).split(' ')) counts.set(word, (counts.get(word) ?? 0) + 1);
  const usual = new Map<string, string>();
  for (const [word, count] of counts) {
    if (word.length < SHORTEST || /\d/.test(word)) continue;
    const key = looseKey([word]);
    const known = usual.get(key);
    if (known === undefined || (counts.get(known) ?? 0) < count) usual.set(key, word);
  }
  return [...usual].flatMap(([key, word]) => (key === word ? [] : [word])).sort();
}
