import { isHouseNumber, type Segment } from './segments.js';

/** Parts of an address that begin so lie in the country, unless the town has a neighbourhood of the whole name. */
const RURAL = new Set(
  (
    'fazenda faz sitio comunidade assentamento assent reassentamento acampamento ramal vicinal povoado pov localidade ' +
    'linha ln colonia gleba agrovila aldeia seringal quilombo igarape travessao picada'
  ).split(' '),
);
const AREAS = new Set(['zona', 'area', 'meio', 'setor', 'nucleo', 'z']);
const ESTRADA = new Set(['estrada', 'estr', 'est']);

/** `Zona Rural`, `Estrada Geral do Rio Bonito`, `Sítio São José`, `Rodovia BR-101, km 12`. */
export function isRuralName(segment: Segment): boolean {
  const first = segment[0] ?? '';
  if (segment.length === 1) return first === 'rural' || first === 'interior';
  return RURAL.has(first) || (segment[1] === 'geral' && ESTRADA.has(first)) || segment.some(isRuralArea);
}

/** `zona rural` anywhere, or `km 12`. */
const isRuralArea = (word: string, at: number, segment: Segment): boolean =>
  (word === 'rural' && AREAS.has(segment[at - 1] ?? '')) || (word === 'km' && isHouseNumber(segment[at + 1]));
