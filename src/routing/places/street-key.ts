import { looseKey } from '../address/spelling.js';
import abbreviations from '../data/abbreviations.json' with { type: 'json' };

const kinds = new Map(Object.entries(abbreviations.streets));

const KINDS = new Set([...kinds.values(), 'beco', 'via', 'viela', 'viaduto', 'parque', 'vila', 'quadra']);

/** Numbers that names of streets hold, in words and in Roman digits. */
const numbers = new Map<string, string>(
  [
    'primeiro um|dois ii|tres iii|quatro iv|cinco|seis vi|sete vii|oito viii|nove ix|dez|onze xi|doze xii|treze xiii',
    'quatorze catorze xiv|quinze xv|dezesseis xvi|dezessete xvii|dezoito xviii|dezenove xix|vinte xx',
  ]
    .join('|')
    .split('|')
    .flatMap((names, index) => names.split(' ').map((name): [string, string] => [name, String(index + 1)])),
);

/** The key that two ways to write a street share: `R. Dr. Luiz XV` and `rua doutor luis quinze`. */
export function streetKey(words: readonly string[]) {
  const [first = '', ...others] = words;
  const kind = kinds.get(first) ?? first;
  const hasKind = KINDS.has(kind) && others.length > 0;
  const name = (hasKind ? others : words).map((word) => numbers.get(word) ?? word);
  // `rua`, `avenida` and the like; empty where it is not written.
  return { kind: hasKind ? kind : '', name: looseKey(name) };
}
