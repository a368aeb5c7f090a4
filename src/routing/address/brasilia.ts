import { isHouseNumber, type Segment } from './segments.js';

/**
 * Words of Brasília's sectors and kinds of quadras. Addresses there give such a word and numbers, not a street's name.
 */
const CODES = new Set(
  (
    'qr qn qs qe qi ql qc qa qd qna qnb qnc qnd qne qnf qng qnh qnj qnl qnm qnn qno qnp qnq qnr qsa qsb qsc qsd qse qsf qri qrc ' +
    'qro qms qmsw qrsw qbr sqs sqn sqsw sqnw shis shin shces shcs shcn shcgn shigs shps sha shd shn shs shtn shls shln shsn shcsw ' +
    'sres srtvs srtvn srpn sria scs scn scen sces scia scln scls sclrn scrn scrs scsv sgan sgas sgcv sgo sepn seps sbn sbs ' +
    'sdn sds saan saun saus sain safs safn sia sig sof sofn sofs smpw smdb smas smln smhn smhs cl cln cls clnw clsw clrn crs crn ' +
    'crnw ccsw cnb cnm csa csb csc csg eq eqn eqs eqnm eqnn eqno eqnp eqnl eqsw eqnw eptg ade aos'
  ).split(' '),
);

export const isQuadraCode = (word: string): boolean => CODES.has(word);

/** Parts of a quadra. In an address each stands before its number or letter. */
const parts = new Map(
  Object.entries({
    quadra: 'quadra',
    qd: 'quadra',
    conjunto: 'conjunto',
    conj: 'conjunto',
    cj: 'conjunto',
    bloco: 'bloco',
  }),
)
  .set('bl', 'bloco')
  .set('trecho', 'trecho')
  .set('modulo', 'modulo');

const isNumberOrLetter = (word: string): boolean => /^(\d+[a-z]?|[a-z])$/.test(word);

/** `SQS 308`, `SHIS QI 5`, `SCS Quadra 1`. */
export function isQuadra(segment: Segment): boolean {
  if (!CODES.has(segment[0] ?? '')) return false;
  const second = segment[1] ?? '';
  return isHouseNumber(CODES.has(second) || parts.has(second) ? segment[2] : second);
}

/** Splits a quadra from the words after it: `shis qi 05 conj 3 casa 10` gives `shis qi 5 conjunto 3`, and the rest. */
export function splitQuadra(segment: Segment): { words: Segment; rest: Segment } {
  const words: string[] = [];
  for (let at = 0; ; at++) {
    const [word = '', next = ''] = [segment[at], segment[at + 1]];
    const part = parts.get(word);
    const isOwnNumber = isHouseNumber(word) && (CODES.has(words.at(-1) ?? '') || (at === 2 && isBetween(segment)));
    if (part && isNumberOrLetter(next)) words.push(part, withoutZeros(segment[++at] ?? ''));
    else if (CODES.has(word) || isOwnNumber) words.push(withoutZeros(word));
    else return { words, rest: segment.slice(at) };
  }
}

/** Adds the sector of the two lakes, which people leave out: `QI 5, Lago Sul` → `shis qi 5`. */
export function withSector(words: Segment, neighbourhood: Segment | undefined): Segment {
  const sector = sectorOfLake.get(neighbourhood?.join(' ') ?? '');
  return sector !== undefined && (words[0] === 'qi' || words[0] === 'ql') ? [sector, ...words] : words;
}

const sectorOfLake = new Map([
  ['lago sul', 'shis'],
  ['lago norte', 'shin'],
]);

/** `shis qi 5 conjunto 3` → `shis qi 5`. */
export const wholeQuadra = (words: Segment): Segment => words.slice(0, words.findIndex(isHouseNumber) + 1);

/** Tells whether the code takes two numbers: `EQN 208/209`. */
const isBetween = ([first = '']: Segment): boolean => /^(eq|scr|cln)/.test(first);

const withoutZeros = (word: string): string => word.replace(/^0+(?=\d)/, '');
