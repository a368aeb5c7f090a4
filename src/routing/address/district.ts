import type { District, Municipality } from './gazetteer.js';
import { expandedKey } from './locality.js';
import { isNumberWord, type Segment } from './segments.js';

const LABELS = new Set(['bairro', 'distrito', 'bro']);

/** What can be a district's name in a segment: what follows its last number and the word "bairro". */
function nameIn(segment: Segment): Segment {
  let from = 0;
  segment.forEach((word, index) => {
    if (isNumberWord(word) || LABELS.has(word)) from = index + 1;
  });
  return segment.slice(from);
}

/** The district of the municipality that the whole segment names, a house number before it left aside. */
export function districtIn(segment: Segment, municipality: Municipality): District | undefined {
  const { districts } = municipality;
  if (districts.size === 0) return undefined;
  const name = nameIn(segment);
  return districts.get(name.join(' ')) ?? districts.get(expandedKey(name));
}

/** The district named by the segment nearest to the city's, which is where addresses put it. */
export function nearestDistrict(segments: readonly Segment[], city: number, owner: Municipality): District | undefined {
  if (owner.districts.size === 0) return undefined;
  for (let away = 0; away < segments.length; away++) {
    const near = districtIn(segments[city - away] ?? [], owner) ?? districtIn(segments[city + away] ?? [], owner);
    if (near) return near;
  }
  return undefined;
}
