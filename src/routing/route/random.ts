/** Uniform numbers in [0, 1) by xorshift32: the same seed gives the same sequence, so that routes can be repeated. */
export function seededRandom(seed: number): () => number {
  let state = seed | 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 4_294_967_296;
  };
}
