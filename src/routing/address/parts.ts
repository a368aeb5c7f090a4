import { municipalitiesWithNeighbourhood } from '../places/city-places.js';
import { municipalitiesNamed } from '../places/municipalities.js';
import { isQuadra, splitQuadra } from './brasilia.js';
import type { NamedStreet } from './reading.js';
import {
  isBuildingWord,
  isComplement,
  isHouseNumber,
  isNumberSign,
  isNumberWord,
  isRoadWord,
  isStreetWord,
  leadsLongerName,
  opensComplement,
  type Segment,
} from './segments.js';
import { expand, isConnector } from './spelling.js';
import { stateByCode, stateByName } from './states.js';

export interface Parts {
  street?: NamedStreet;
  /** The other segments in the order written: neighbourhood, city and state. */
  names: Segment[];
}

export function toParts(segments: readonly Segment[]): Parts {
  const names: Segment[] = [];
  let street: NamedStreet | undefined;
  // `1578, Av. Paulista`
  let numberBefore: string | undefined;
  const joined = withWholeQuadra(segments);
  const hasStreet = joined.some(isStreet);
  joined.forEach((segment, at) => {
    // Without a word for its kind a street is first, or comes after the state.
    const isOpening = names.length === 0 || (!hasStreet && names.some(endsInCode));
    const { own, rest } = readSegment(segment, joined[at + 1], street === undefined && isOpening);
    const number = own ? undefined : numberAtStart(segment);
    street ??= own;
    if (street && number !== undefined) street.number ??= number;
    else numberBefore ??= number;
    if (rest.length > 0) names.push(withoutLabel(rest, joined[at + 1]));
  });
  if (street && numberBefore !== undefined) street.number ??= numberBefore;
  return { names, ...(street && { street }) };
}

/** The street in a segment, and what is left of it for a name. */
interface SegmentRead {
  own?: NamedStreet;
  rest: Segment;
}

function readSegment(segment: Segment, next: Segment | undefined, isOpening: boolean): SegmentRead {
  const bare = withoutNumbers(segment);
  if (isQuadra(segment)) return quadraIn(segment);
  if (isComplement(segment)) return { rest: [] };
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

const isHouse = (word: string | undefined): boolean => ['casa', 'cs', 'lote', 'lt'].includes(word ?? '');

/** `SQS 308, Bloco C, Apto 101`: a quadra and its parts in one segment. */
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

/** `cidade de Santos`, `estado SP`, but not `Cidade Ocidental`. */
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

/** The house number that a segment begins with: `1578`, `nº 10`, `10 Centro`, not `25 de Março`. */
function numberAtStart(segment: Segment): string | undefined {
  const word = segment[isNumberSign(segment[0]) ? 1 : 0];
  return isHouseNumber(word) && withoutNumbers(segment).length < segment.length ? word : undefined;
}

const isBuilding = (words: Segment): boolean => words.length > 1 && isBuildingWord(words[0] ?? '');

/** Begins like a street, `Antiga Estrada` too, and is no city: `Ponte Nova - MG` is one. */
function isStreet(segment: Segment): boolean {
  if (segment.length < 2) return false;
  const first = segment[0] ?? '';
  const second = segment[1] ?? '';
  if (isRoad(segment)) return true;
  const isSecond = segment.length > 2 && second.length > 2 && isStreetWord(second) && !leadsLongerName(first);
  if (!isSecond && !isStreetWord(first)) return false;
  return municipalitiesNamed(endsInCode(segment) ? segment.slice(0, -1) : segment).length === 0;
}

/** `BR 101`, `SP 330`. */
const isRoad = ([letters = '', digits = '']: Segment): boolean => isRoadLetters(letters) && /^\d{3}$/.test(digits);

const isRoadLetters = (word: string): boolean => word === 'br' || stateByCode(word) !== undefined;

/** A number marks a street without a word for its kind: `Perimetral Norte, 100`, `das flores 10 santos`. */
function hasNumber(segment: Segment, next: Segment | undefined): boolean {
  const isFollowed = next !== undefined && isComplement(next) && (isHouseNumber(next[0]) || isNumberSign(next[0]));
  return isFollowed || segment.some((_, at) => at > 0 && endsStreet(segment, at));
}

/** `rua 7 de setembro 100 ap 12 centro`: the street, its number, and the words that follow both. */
function splitStreet(segment: Segment): NamedStreet & { tail: Segment } {
  const first = isStreetWord(segment[0] ?? '') ? 2 : 1;
  const end = segment.findIndex((_, at) => at >= first && endsStreet(segment, at));
  if (end < 0) return { words: segment, tail: [] };
  const number = segment[isNumberSign(segment[end]) ? end + 1 : end];
  return {
    words: segment.slice(0, end),
    tail: withoutNumbers(segment.slice(end)),
    ...(isHouseNumber(number) && { number }),
  };
}

/** The street's name ends before `at`, at its number or a complement. */
function endsStreet(segment: Segment, at: number): boolean {
  const word = segment[at] ?? '';
  const next = segment[at + 1];
  if (isNumberSign(word)) return isHouseNumber(next);
  if (opensComplement(word, next)) return true;
  return isNumberWord(word) && !isPartOfName(segment, at);
}

/** `7 de Setembro`, and the number of a road: `BR 101`, `Rodovia SP 330`. */
function isPartOfName(segment: Segment, at: number): boolean {
  const before = segment[at - 1] ?? '';
  const next = segment[at + 1];
  if (next !== undefined && next.length > 1 && isConnector(next)) return true;
  return isRoadLetters(before) && (at === 1 || isRoadWord(segment[0]));
}

/** Leaves out the numbers and complements that the words begin with: `142 a ap 12 centro` → `centro`. */
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

/** `142 A`, but not `142 S. José`. */
const isLetterOfNumber = (word: string): boolean => word.length === 1 && expand(word) === word;
