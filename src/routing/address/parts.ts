import { municipalitiesWithNeighbourhood } from '../places/city-places.js';
import { municipalitiesNamed } from '../places/municipalities.js';
import { fullKind } from '../places/street-key.js';
import { isQuadra, splitQuadra } from './brasilia.js';
import { isCode, isCodeLetters, isRoadLetters, lotsIn, standsBeforeCode } from './codes.js';
import type { NamedStreet } from './reading.js';
import {
  isBuildingWord,
  isComplement,
  isHouseNumber,
  isNumberSign,
  isNumberWord,
  isQuarter,
  isRoadWord,
  isRuralName,
  isStreetWord,
  leadsLongerName,
  opensComplement,
  QUADRA,
  type Segment,
  withWholeQuarter,
} from './segments.js';
import { expand, isConnector } from './spelling.js';
import { stateByCode, stateByName } from './states.js';

export interface Parts {
  street?: NamedStreet;
  /** The other segments in the order written: neighbourhood, city and state. */
  names: Segment[];
  /** Segments that say that the address lies in the countryside. */
  rural: Segment[];
}

export function toParts(segments: readonly Segment[]): Parts {
  const names: Segment[] = [];
  let street: NamedStreet | undefined;
  // `1578, Av. Paulista`
  let numberBefore: string | undefined;
  const joined = withWholeQuarter(withWholeQuadra(withQuadraOfStreet(segments)));
  const lots = new Set<string>();
  const hasStreet = joined.some(isStreet);
  joined.forEach((segment, at) => {
    // A street without a word for its kind stands first, or after the state.
    const isOpening = names.length === 0 || (!hasStreet && names.some(endsInCode));
    const { own, rest } = readSegment(segment, joined[at + 1], street === undefined && isOpening);
    const number = own ? undefined : numberAtStart(segment);
    street ??= own;
    if (street && number !== undefined) addNumber(street, number);
    else numberBefore ??= number;
    const isOwn = own !== undefined && own === street;
    if (!isOwn || !isQuadra(segment)) for (const lot of lotsIn(segment, isOwn ? own.words.length : 0)) lots.add(lot);
    if (rest.length > 0) names.push(withoutLabel(rest, joined[at + 1]));
  });
  if (street && numberBefore !== undefined) street.number ??= numberBefore;
  const rural = segments.filter((segment) => isRuralName(segment) && !isCity(segment));
  return { names, rural, ...(street && { street: lots.size > 0 ? { ...street, lots: [...lots] } : street }) };
}

function addNumber(street: NamedStreet, number: string): void {
  if (street.number === undefined) street.number = number;
  else if (street.coded) street.coded.number ??= number;
}

/** The street in a segment, and the other words, which may be a name. */
interface SegmentRead {
  own?: NamedStreet;
  rest: Segment;
}

function readSegment(segment: Segment, next: Segment | undefined, isOpening: boolean): SegmentRead {
  const bare = withoutNumbers(segment);
  if (isQuadra(segment)) return quadraIn(segment);
  if (isQuarter(segment)) return quarterIn(segment);
  // `T-63, 100`
  const isOpeningCode = isOpening && segment.length === 1 && isCode(segment[0]) && hasNumber(segment, next);
  if (isComplement(segment) && !isOpeningCode) return { rest: [] };
  if (isBuilding(segment)) return { rest: splitStreet(segment).tail };
  // `1578 Av. Paulista`, but not `2a Travessa São José, 10`.
  if (bare !== segment && isStreet(bare) && !hasNumber(bare, next)) return streetIn(bare, numberAtStart(segment));
  return isStreet(segment) || (isOpening && hasNumber(segment, next)) ? streetIn(segment) : { rest: bare };
}

function streetIn(segment: Segment, numberBefore?: string): SegmentRead {
  const { tail, ...own } = splitStreet(segment);
  return { own: { ...(numberBefore !== undefined && { number: numberBefore }), ...own }, rest: tail };
}

function quadraIn(segment: Segment): SegmentRead {
  const { words, rest } = splitQuadra(segment);
  const number = numberAtStart(isHouse(rest[0]) ? rest.slice(1) : rest);
  return { own: { words, ...(number !== undefined && { number }) }, rest: withoutNumbers(rest) };
}

/** Reads a street inside its quarter: `quadra 104 norte alameda 5`. */
function quarterIn(segment: Segment): SegmentRead {
  const [kind = '', ...name] = segment.slice(3);
  const inside = [fullKind(kind), ...name];
  if (!isStreet(inside)) return { own: { words: segment.slice(0, 3) }, rest: withoutNumbers(inside) };
  const quarter = segment.slice(0, 3);
  const { words, tail, coded, ...plain } = splitStreet(inside);
  const own = { ...plain, words: [...quarter, ...words] };
  return { own: coded ? { ...own, coded: { ...coded, words: [...quarter, ...coded.words] } } : own, rest: tail };
}

const isHouse = (word: string | undefined): boolean => ['casa', 'cs', 'lote', 'lt'].includes(word ?? '');

/** Takes `Quadra 21, Conjunto E` for the street, as `qd`, only if the address names no other street. */
function withQuadraOfStreet(segments: readonly Segment[]): readonly Segment[] {
  const isNumbered = (segment: Segment): boolean => isHouseNumber(segment[1]) && QUADRA.has(segment[0] ?? '');
  if (!segments.some(isNumbered)) return segments;
  const others = segments.filter((segment) => !isNumbered(segment));
  const isOpening = !others.some((segment) => isStreet(segment) || isQuadra(segment));
  const first = isOpening ? segments.findIndex(isNumbered) : -1;
  return segments.map((segment, at) =>
    isNumbered(segment) ? [at === first ? 'qd' : 'quadra', ...segment.slice(1)] : segment,
  );
}

/** Joins a quadra and its parts to one segment: `SQS 308, Bloco C, Apto 101`. */
function withWholeQuadra(segments: readonly Segment[]): Segment[] {
  const joined: Segment[] = [];
  let isOpen = false;
  for (const segment of segments) {
    isOpen = isQuadra(segment) || (isOpen && isComplement(segment));
    if (isOpen && !isQuadra(segment)) joined.push([...(joined.pop() ?? []), ...segment]);
    else joined.push(segment);
  }
  return joined;
}

const endsInCode = (words: Segment): boolean => stateByCode(words.at(-1) ?? '') !== undefined;

const isStateLabel = (word: string | undefined): boolean => word === 'estado' || word === 'uf';

/** Removes a label before a name: `cidade de Santos`, `estado SP`, but not `Cidade Ocidental`. */
function withoutLabel(words: Segment, next: Segment | undefined): Segment {
  const label = words[0];
  const isCity = label === 'cidade' || label === 'municipio';
  if (!isCity && !isStateLabel(label)) return words;
  const name = words.slice(isConnector(words[1] ?? '') ? 2 : 1);
  const key = name.join(' ');
  const state = isCity ? undefined : (stateByName(key) ?? stateByCode(key));
  if (state !== undefined) return [state.toLowerCase()];
  if (!isCity || municipalitiesNamed(name).length === 0) return words;
  return isStateLabel(next?.[0]) || municipalitiesWithNeighbourhood(words).length === 0 ? name : words;
}

/** The house number at the start of a segment: `1578`, `nº 10`, `10 Centro`, but not `25 de Março`. */
function numberAtStart(segment: Segment): string | undefined {
  const word = segment[isNumberSign(segment[0]) ? 1 : 0];
  return isHouseNumber(word) && withoutNumbers(segment).length < segment.length ? word : undefined;
}

const isBuilding = (words: Segment): boolean => words.length > 1 && isBuildingWord(words[0] ?? '');

/** Tells whether a segment begins like a street (also `Antiga Estrada`) and is no city, as `Ponte Nova - MG` is. */
function isStreet(segment: Segment): boolean {
  if (segment.length < 2) return false;
  const first = segment[0] ?? '';
  const second = segment[1] ?? '';
  if (isRoad(segment) || isNumberedRoad(segment)) return true;
  const isSecond = segment.length > 2 && second.length > 2 && isStreetWord(second) && !leadsLongerName(first);
  if (!isSecond && !isStreetWord(first)) return false;
  return !isCity(segment);
}

/** `Ponte Nova - MG`, `Fazenda Rio Grande`. */
const isCity = (segment: Segment): boolean =>
  municipalitiesNamed(endsInCode(segment) ? segment.slice(0, -1) : segment).length > 0;

/** `BR 101`, `SP 330`. */
const isRoad = (segment: Segment): boolean =>
  segment[1]?.length === 3 && isHouseNumber(segment[1]) && isRoadLetters(segment[0] ?? '');

const NUMBERED_ROADS = new Set(['linha', 'ln', 'vicinal', 'ramal', 'travessao']);

/** Tells whether the segment is a country road with a number for a name: `Linha 12`, `Vicinal 5`. */
const isNumberedRoad = (segment: Segment): boolean =>
  (isHouseNumber(segment[1]) || isCode(segment[1])) && NUMBERED_ROADS.has(segment[0] ?? '');

/** Tells whether a number follows, as after a street without a word for its kind: `das flores 10 santos`. */
function hasNumber(segment: Segment, next: Segment | undefined): boolean {
  const isFollowed = next !== undefined && isComplement(next) && (isHouseNumber(next[0]) || isNumberSign(next[0]));
  return isFollowed || segment.some((_, at) => at > 0 && endsStreet(segment, at));
}

/** Splits `rua 7 de setembro 100 ap 12 centro` into the street, its number, and the words after both. */
function splitStreet(segment: Segment): NamedStreet & { tail: Segment } {
  const first = isStreetWord(segment[0] ?? '') || isNumberedRoad(segment) ? 2 : 1;
  const end = segment.findIndex((_, at) => at >= first && endsStreet(segment, at));
  if (end < 0) return { words: segment, tail: [] };
  const number = segment[isNumberSign(segment[end]) ? end + 1 : end];
  const coded = codedStreet(segment, end);
  return {
    words: segment.slice(0, end),
    tail: withoutNumbers(segment.slice(end)),
    ...(isHouseNumber(number) && { number }),
    ...(coded && { coded }),
  };
}

/** The street if a number belongs to its name: `T 63` of `Avenida T 63 100`, or `Rua T 38 B`. */
function codedStreet(segment: Segment, end: number): NamedStreet['coded'] {
  if (end > 3) return undefined;
  const [letters = '', digits] = [segment[end - 1], segment[end]];
  const isAfterKind = end === 1 || (end === 2 ? isStreetWord(segment[0] ?? '') : standsBeforeCode(segment[1]));
  if (!isHouseNumber(digits) || !isAfterKind || !isCodeLetters(letters)) return undefined;
  const letter = segment.length === end + 2 && /^[a-z]$/.test(segment[end + 1] ?? '') ? segment[end + 1] : '';
  const number = numberAtStart(segment.slice(end + 1));
  return {
    words: [...segment.slice(0, end - 1), `${letters}${digits}${letter}`],
    ...(number !== undefined && { number }),
  };
}

/** Tells whether a street's name ends before `at`, because a number or a complement stands there. */
function endsStreet(segment: Segment, at: number): boolean {
  const word = segment[at] ?? '';
  const next = segment[at + 1];
  if (isNumberSign(word)) return isHouseNumber(next);
  if (opensComplement(word, next)) return true;
  return isNumberWord(word) && !isPartOfName(segment, at);
}

/** Tells whether the number belongs to a name: `7 de Setembro`, or a road's `BR 101`, `Rodovia SP 330`. */
function isPartOfName(segment: Segment, at: number): boolean {
  const before = segment[at - 1] ?? '';
  const next = segment[at + 1];
  if (next !== undefined && next.length > 1 && isConnector(next)) return true;
  if (isCode(segment[at]) && at === 2 && standsBeforeCode(before)) return true;
  return isRoadLetters(before) && (at === 1 || isRoadWord(segment[0]));
}

/** Removes the numbers and complements at the start: `142 a ap 12 centro` → `centro`. */
function withoutNumbers(words: Segment): Segment {
  let from = 0;
  for (let previous = -1; from !== previous && from < words.length; ) {
    previous = from;
    const word = words[from] ?? '';
    const next = words[from + 1];
    if (opensComplement(word, next)) from += 2;
    else if (isNumberSign(word) && isHouseNumber(next)) from += 2;
    else if (isNumberWord(word) && !isPartOfName(words, from)) from++;
    else if (from > 0 && isLetterOfNumber(word)) from++;
  }
  return from === 0 ? words : words.slice(from);
}

/** Tells whether the word is the letter of a house number: `142 A`, but not `142 S. José`. */
const isLetterOfNumber = (word: string): boolean => word.length === 1 && expand(word) === word;
