/** Numbers in [0, 1) that depend only on the seed (mulberry32). */
export type Random = () => number;

export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A whole number from `least` to `most`. */
export const between = (random: Random, least: number, most: number): number =>
  least + Math.floor(random() * (most - least + 1));

/** One of the choices, chosen by weight. */
export function choose<T>(random: Random, choices: readonly (readonly [weight: number, choice: T])[], otherwise: T): T {
  const total = choices.reduce((sum, [weight]) => sum + weight, 0);
  let rest = random() * total;
  for (const [weight, choice] of choices) {
    rest -= weight;
    if (rest < 0) return choice;
  }
  return otherwise;
}
