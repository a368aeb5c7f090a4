import type { Place, Precision } from '../../src/base/place.js';
import { createPlanning } from '../../src/routing/planning.js';
import type { RouteProblem } from '../../src/routing/ports.js';
import { seededRandom, tournament } from '../../src/routing/route/embedded-solver.js';
import { toGraph } from '../../src/routing/route/problem.js';

const warn = () => {
  throw new Error('embedded planning has nothing to warn of');
};
export const planning = createPlanning({ log: { warn } });

/** The route that the search for large orders finds. */
export function searched(problem: RouteProblem, firstRounds: number, seed?: number): number[] {
  const search = tournament(toGraph(problem), firstRounds, seed);
  for (;;) {
    const step = search.next();
    if (step.done) return [...step.value.stops];
  }
}

/** A place that is exact if its precision is `rooftop`, and otherwise has the usual accuracy. */
export function placeAt(latitude: number, longitude: number, precision: Precision = 'rooftop'): Place {
  const place = { latitude, longitude, precision, city: 'São Paulo', state: 'SP' };
  return precision === 'rooftop' ? { ...place, accuracyMetres: 0 } : place;
}

/** A stop at an address that no other place has. */
export function stopAt(latitude: number, longitude: number, precision?: Precision) {
  return { address: `${latitude} ${longitude} ${precision}`, place: placeAt(latitude, longitude, precision) };
}

/** Random stops in a square. With `skew` above 0, legs differ by direction. */
export function randomProblem(seed: number, pickups: number, deliveries: number, skew = 0): RouteProblem {
  const random = seededRandom(seed * 7_919 + 13);
  const points = Array.from({ length: pickups + deliveries }, () => [random() * 3_600, random() * 3_600] as const);
  const pickupOf = Array.from({ length: deliveries }, () => Math.floor(random() * pickups));
  const metres = points.map(([x, y]) =>
    points.map(([u, v]) => Math.hypot(x - u, y - v) * (1 + skew * (random() - 0.5))),
  );
  return { pickups, pickupOf, metres };
}

/** An address for each reason of a refusal, with an unknown word in it. */
export const unplaceable = (word: string): string[] => [
  word,
  `Rua ${word}, 1`,
  `Rua A, 1, ${word}, 28710-000`,
  `Rua A, 1, ${word} - SP`,
  `Rua dos ${word}, SP`,
  `${word} 5, RJ, 28710-000`,
  `Rua ${word}, 1, Campinas - RJ`,
  `Rua ${word}, 1, Cidade Ocidental - DF`,
  `Rua ${word}, 1, Bom Jesus`,
  `Edifício ${word}, Rua dos Franceses, 1, Bela Vista`,
  `Rua ${word}, 1, Socorro, São Paulo`,
  `${word}, Santos - SP, Rio de Janeiro`,
  `Rua ${word}, 1, Santos - SP, 20040-002`,
  `Rua ${word}, 1, Santos, 20040-002`,
  `Rua ${word}, 1, Santos - SP, 01310-200`,
  `Rua ${word}, 1, São Paulo - SP, 13010-000`,
  `Rua ${word}, Santos - SP, 11010-000, 11020-000`,
  `Rua ${word}, Santos - SP, 00100-000`,
  `Rua A, 1, Santos - SP, CEP 1101${word}`,
];
