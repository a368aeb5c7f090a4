/**
 * Hashes a name for the table (FNV-1a). Two names in a city rarely share a hash. `before` is the hash of the letters
 * before; the letters in [from, end) are added to it.
 */
export function hashOf(name: string, before = 0x811c9dc5 | 0, from = 0, end = name.length): number {
  let hash = before;
  for (let at = from; at < end; at++) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193);
  return hash;
}

/** Hashes words, joined by spaces. */
export function hashOfWords(words: readonly string[]): number {
  let hash = hashOf(words[0] ?? '');
  for (let at = 1; at < words.length; at++) hash = hashOf(words[at] ?? '', hashOf(' ', hash));
  return hash;
}

/** A Bloom filter: `false` means that a number is not in the set. `true` may be wrong. */
export class Filter {
  private readonly bits = new Uint8Array(1 << 22);

  add(hash: number): void {
    for (const place of [hash, other(hash)]) this.bits[place >>> 10] = (this.bits[place >>> 10] ?? 0) | bitOf(place);
  }

  mayHave(hash: number): boolean {
    return this.hasBit(hash) && this.hasBit(other(hash));
  }

  private hasBit(place: number): boolean {
    return ((this.bits[place >>> 10] ?? 0) & bitOf(place)) !== 0;
  }
}

const other = (hash: number): number => Math.imul(hash, 0x9e3779b1) ^ (hash >>> 13);

const bitOf = (hash: number): number => 1 << ((hash >>> 7) & 7);
