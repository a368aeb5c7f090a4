import { endsInNumber, mayLeadCode } from '../address/codes.js';
import { isHouseNumber } from '../address/segments.js';
import { looseKey } from '../address/spelling.js';
import abbreviations from '../data/abbreviations.json' with { type: 'json' };

const kinds = new Map(Object.entries(abbreviations.streets));

const KINDS = new Set([...kinds.values(), 'acesso', 'escadaria', 'parque', 'quadra']);

const TENS = new Set(['20', '30', '40', '50', '60', '70', '80', '90']);

/** Numbers in street names, as words and in Roman digits. */
const numbers = new Map<string, string>([
  ...numbered(
    'primeiro primeira um|dois segundo segunda ii|tres terceiro terceira iii|quatro quarto quarta iv|cinco quinto quinta|' +
      'seis sexto sexta vi|sete setimo vii|oito oitavo viii|nove nono ix|dez|onze xi|doze xii|treze xiii|' +
      'quatorze catorze xiv|quinze xv|dezesseis xvi|dezessete xvii|dezoito xviii|dezenove xix|vinte xx',
    1,
  ),
  ...numbered('vinte|trinta|quarenta|cinquenta|sessenta|setenta|oitenta|noventa', 10, 20),
]);

function numbered(names: string, step: number, first = step): [string, string][] {
  return names
    .split('|')
    .flatMap((words, index) => words.split(' ').map((word): [string, string] => [word, String(first + index * step)]));
}

/** Kind and name of a street, equal for all its spellings: `R. Dr. Luiz XV` and `rua doutor luis quinze`. */
export interface StreetKey {
  /** `rua`, `avenida` and the like. Empty if no kind is written. */
  kind: string;
  name: string;
}

/** `al` → `alameda`. */
export const fullKind = (word: string): string => kinds.get(word) ?? word;

export function streetKey(words: readonly string[]): StreetKey {
  const count = countOfKind(words);
  // The name without the word `pedestre`, as in `Via de Pedestre Opálias`.
  const own =
    count === 0 ? words : words.filter((word, at) => at >= count && word !== 'pedestre' && word !== 'pedestres');
  return { kind: count === 0 ? '' : fullKind(words[count - 1] ?? ''), name: looseKey(withJoinedCodes(inDigits(own))) };
}

/** Counts the words for the kind of a street at the start. */
export function countOfKind(words: readonly string[]): number {
  const from = isKindTwice(words) ? 1 : 0;
  return words.length > from + 1 && KINDS.has(fullKind(words[from] ?? '')) ? from + 1 : 0;
}

/** Tells whether a street has two kinds: `Rua Servidão São Tomé`. */
const isKindTwice = (words: readonly string[]): boolean =>
  words.length > 2 && (words[0] === 'r' || words[0] === 'rua') && KINDS.has(words[1] ?? '');

/** Joins a code to one word: `t 63` and `t-63` to `t63`, `sd 01 a` to `sd1a`, `12 a` to `12a`. */
function withJoinedCodes(words: readonly string[]): readonly string[] {
  if (!words.some(hasDigit)) return words;
  const coded: string[] = [];
  words.forEach((word, at) => {
    const before = coded.at(-1) ?? '';
    const isEnd = words[at + 1] === undefined || (words[at + 1]?.length ?? 0) > 2;
    const isNumber = mayLeadCode(before) && /^\d+[a-z]?$/.test(word);
    const isLetter = isEnd && /^[a-z]$/.test(word) && /\d$/.test(before);
    coded.push(isNumber || isLetter ? coded.pop() + word : word.replace(LEADING_ZEROS, '$1$2'));
  });
  return coded;
}

/** Tells whether a word has a digit. In names, digits begin or end a word. */
const hasDigit = (word: string): boolean => isHouseNumber(word) || endsInNumber(word);

const LEADING_ZEROS = /^([a-z]{1,3})0*(\d+[a-z]?)$/;

/** `vinte e tres de maio` → `23 de maio`, `rua 04` → `rua 4`. */
function inDigits(words: readonly string[]): string[] {
  const isWhole = isWholeCode(words);
  const digits: string[] = [];
  for (const word of words) {
    const digit =
      (isWhole ? undefined : numbers.get(word)) ?? (word.startsWith('0') ? word.replace(/^0+(?=\d)/, '') : word);
    const before = digits.at(-1) === 'e' ? (digits.at(-2) ?? '') : '';
    if (TENS.has(before) && /^\d$/.test(digit)) digits.splice(-2, 2, String(Number(before) + Number(digit)));
    else digits.push(digit);
  }
  return digits;
}

/** Tells whether the letters belong to a code, and are no number: `Rua VI 14`, `Rua UM 10`. */
const isWholeCode = ([first = '', second, third]: readonly string[]): boolean =>
  third === undefined && mayLeadCode(first) && isHouseNumber(second);
