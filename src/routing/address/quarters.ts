import { isHouseNumber, isStreetWord, type Segment } from './segments.js';

const QUADRA = new Set(['quadra', 'qd', 'qda', 'q']);
const isDirection = (word: string | undefined): boolean => word === 'norte' || word === 'sul';

/** `quadra 104 norte`, a quarter of Palmas: its streets have names of their own only within it. */
export const isQuarter = (segment: Segment): boolean =>
  segment[0] === 'quadra' && isHouseNumber(segment[1]) && isDirection(segment[2]);

/** `104 Norte, Alameda 5` is one street: `quadra 104 norte alameda 5`. */
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
