import { isConnector } from './spelling.js';
import { stateByCode } from './states.js';
import type { Word } from './words.js';

export type Segment = readonly string[];

const COUNTRY = new Set(['brasil', 'brazil']);
/** ISO 3166 codes of Brazil, which shop platforms add. In `BR 101` they belong to a road. */
const COUNTRY_CODES = new Set(['br', 'bra']);
/** Words before a road's letters, as in `Rodovia BR 101`. */
const ROAD = new Set(['rod', 'rodovia', 'est', 'estrada']);
const COMPLEMENT = new Set(
  (
    'ap apt apto apartamento bl bloco bloc casa cs sala sl lj loja lote lt quadra qd conj conjunto cj fundos frente andar ' +
    'torre km sn unidade un galpao box sobreloja gleba gl qda lts'
  ).split(' '),
);
const STREET = new Set(
  (
    'r rua av ave aven avenida al alameda tv trav travessa pc pca praca est estr estrada rod rodovia lgo largo ' +
    'via viela ladeira lad beco ponte viaduto passagem psg servidao'
  ).split(' '),
);
const BUILDING = new Set(['ed', 'edif', 'edificio', 'cond', 'condominio', 'shopping']);

/** Words that begin a neighbourhood's name, though the word after them may be a city's name. */
const NEIGHBOURHOOD = new Set(
  (
    'jardim jd jrd vila vl parque pq conjunto conj residencial res chacara chac nucleo setor loteamento cidade cid morro ' +
    'alto alta nova novo velha velho bela bom boa sao santo santa sto sta s nossa senhora dom dona padre pe frei'
  ).split(' '),
);
/** Labels of a form: `Cidade: Santos, UF: SP`. */
const LABELS = new Set('uf estado cidade municipio bairro endereco numero complemento pais'.split(' '));
const NEIGHBOURHOOD_LABELS = new Set(['bairro', 'bro', 'distrito']);
const RANGE = new Set(['ate', 'de', 'a', 'ao']);
const NUMBER_SIGN = new Set(['n', 'no', 'num', 'numero']);

export const isDigit = (code: number): boolean => code >= 48 && code <= 57;

function hasDigit(word: string): boolean {
  for (let at = 0; at < word.length; at++) if (isDigit(word.charCodeAt(at))) return true;
  return false;
}

export const isHouseNumber = (word: string | undefined): word is string => isDigit(word?.charCodeAt(0) ?? 0);

export const isCountryWord = (word: string): boolean => COUNTRY.has(word) || COUNTRY_CODES.has(word);

export const isComplementWord = (word: string): boolean => COMPLEMENT.has(word) || NUMBER_SIGN.has(word);

export const isRoadWord = (word: string | undefined): boolean => ROAD.has(word ?? '');

export const isStreetWord = (word: string): boolean => STREET.has(word);

/** Tells whether the name of a building follows. It belongs to no street and is no place of its own. */
export const isBuildingWord = (word: string): boolean => BUILDING.has(word);

/** Tells whether a city's name after this word belongs to a longer name: `Jardim São Carlos`, `Vila dos Santos`. */
export const leadsLongerName = (word: string): boolean =>
  STREET.has(word) ||
  BUILDING.has(word) ||
  NEIGHBOURHOOD.has(word) ||
  NEIGHBOURHOOD_LABELS.has(word) ||
  isConnector(word);

/** Tells whether the label of a neighbourhood comes first: `bairro São Roque`. `Distrito Federal` is not one. */
export const isLabelled = (words: Segment): boolean =>
  words.length > 1 && words[1] !== 'federal' && NEIGHBOURHOOD_LABELS.has(words[0] ?? '');

export const isNumberSign = (word: string | undefined): boolean => word !== undefined && NUMBER_SIGN.has(word);

export const isNumberWord = (word: string): boolean => hasDigit(word) || word === 'sn';

/**
 * Tells whether a complement begins: `ap 12`, `bloco b`, `km 5`. Without the number, AP is a state and Quadra a city.
 */
export const opensComplement = (word: string, next: string | undefined): boolean =>
  COMPLEMENT.has(word) && next !== undefined && (hasDigit(next) || next.length === 1);

/**
 * Tells whether the segment is a complement or a house number: `ap 12`, `bloco B`, `casa 2 fundos`, `s/n`, `1578`. A
 * single word is not: AP is a state, Quadra a city.
 */
export function isComplement(segment: Segment): boolean {
  const first = segment[0] ?? '';
  const short = (word: string, at: number): boolean =>
    at === 0 || hasDigit(word) || word.length === 1 || COMPLEMENT.has(word);
  const labelled = COMPLEMENT.has(first) && segment.length > 1;
  return (isNumberWord(first) || isNumberSign(first) || first === 's' || labelled) && segment.every(short);
}

/** Tells whether the segment is a part that Correios appends to a street: `até 1715`, `de 612 a 1510`, `lado ímpar`. */
function isStreetRange(segment: Segment): boolean {
  const first = segment[0] ?? '';
  const second = segment[1] ?? '';
  return first === 'lado' || (RANGE.has(first) && (hasDigit(second) || second === 'fim'));
}

function isNoise(segment: Segment): boolean {
  const first = segment[0] ?? '';
  return (segment.length === 1 && (COUNTRY.has(first) || LABELS.has(first))) || isStreetRange(segment);
}

export function toSegments(words: readonly Word[]): Segment[] {
  const segments: string[][] = [];
  let number = -1;
  let last: string[] = [];
  for (const { segment, text } of words) {
    if (segment !== number) {
      last = [];
      segments.push(last);
      number = segment;
    }
    last.push(text);
  }
  return withWholeRoads(segments)
    .map(withoutCountry)
    .filter((segment) => segment.length > 0 && !isNoise(segment));
}

/** Joins segments that a separator inside a road has cut: `Rodovia BR - 101`, `km 3,5`. */
function withWholeRoads(segments: readonly string[][]): string[][] {
  const whole: string[][] = [];
  for (const segment of segments) {
    const before = whole.at(-1);
    if (before && before[before.length - 2] === 'km' && segment.length === 1 && /^\d$/.test(segment[0] ?? '')) {
      before.push(`${before.pop()},${segment[0]}`);
      continue;
    }
    const isRoad =
      before &&
      before[before.length - 1] === 'br' &&
      (before.length === 1 ? whole.length === 1 : isRoadWord(before[0]));
    if (before && isRoad && /^\d{3}$/.test(segment[0] ?? '')) before.push(...segment);
    else whole.push(segment);
  }
  return whole;
}

/** Removes the country from `Santos SP Brasil`, `Santos BR` and `Santos BR-SP`, not from `Avenida Brasil`. */
function withoutCountry(segment: string[]): string[] {
  let end = segment.length;
  while (COUNTRY_CODES.has(segment[end - 1] ?? '') && !isRoadWord(segment[0])) end--;
  const last = segment[end - 1] ?? '';
  const before = segment[end - 2] ?? '';
  if (last.length === 2 && COUNTRY_CODES.has(before) && stateByCode(last) !== undefined)
    return [...segment.slice(0, end - 2), last];
  const isNamed = end > 2 && COUNTRY.has(last) && stateByCode(before) !== undefined;
  return end < segment.length || isNamed ? segment.slice(0, isNamed ? end - 1 : end) : segment;
}

/** First words of a place in the countryside, unless the town has a neighbourhood of the whole name. */
const RURAL = new Set(
  (
    'fazenda faz sitio comunidade assentamento assent reassentamento acampamento ramal vicinal povoado pov localidade ' +
    'linha ln colonia gleba agrovila aldeia seringal quilombo igarape travessao picada'
  ).split(' '),
);
const AREAS = new Set(['zona', 'area', 'meio', 'setor', 'nucleo', 'z']);
const ESTRADA = new Set(['estrada', 'estr', 'est']);

/**
 * Tells whether the segment names a place in the countryside: `Zona Rural`, `Sítio São José`, `Rodovia BR-101, km 12`.
 */
export function isRuralName(segment: Segment): boolean {
  const first = segment[0] ?? '';
  if (segment.length === 1) return first === 'rural' || first === 'interior';
  return RURAL.has(first) || (segment[1] === 'geral' && ESTRADA.has(first)) || segment.some(isRuralArea);
}

/** Tells whether the word ends `zona rural`, or begins `km 12`. */
const isRuralArea = (word: string, at: number, segment: Segment): boolean =>
  (word === 'rural' && AREAS.has(segment[at - 1] ?? '')) || (word === 'km' && isHouseNumber(segment[at + 1]));

export const QUADRA = new Set(['quadra', 'qd', 'qda', 'q']);
const isDirection = (word: string | undefined): boolean => word === 'norte' || word === 'sul';

/** Tells whether the segment is a quarter of Palmas: `quadra 104 norte`. Its streets have names only within it. */
export const isQuarter = (segment: Segment): boolean =>
  segment[0] === 'quadra' && isHouseNumber(segment[1]) && isDirection(segment[2]);

/** Joins `104 Norte, Alameda 5` to one street: `quadra 104 norte alameda 5`. */
export function withWholeQuarter(segments: readonly Segment[]): readonly Segment[] {
  if (!segments.some((segment) => isDirection(segment[1]) || isDirection(segment[2]))) return segments;
  const whole: Segment[] = [];
  for (const segment of segments) {
    const before = whole.at(-1);
    const isInside = before?.length === 3 && isQuarter(before) && isStreetWord(segment[0] ?? '');
    if (isInside) whole.splice(-1, 1, [...before, ...segment]);
    else whole.push(withQuadra(segment, whole.length === 0));
  }
  return whole;
}

function withQuadra(segment: Segment, isFirst: boolean): Segment {
  const from = QUADRA.has(segment[0] ?? '') ? 1 : isFirst ? 0 : -1;
  const named = ['quadra', ...segment.slice(from)];
  return from >= 0 && isQuarter(named) ? named : segment;
}
