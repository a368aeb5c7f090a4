import { fullFormats } from 'ajv-formats/dist/formats.js';
import { formats } from '../../src/validation/field-errors.js';
import { placesIn, sdl, sources, trackingSchema } from './contract-files.js';

/** Every pattern and format of the contracts, and texts that are slow to check. */

const documents = [...Object.values(sources), trackingSchema];
const places = documents.flatMap((document) => [...placesIn(document)].map(({ node }) => node));
const textsOf = (name: string): string[] =>
  places.flatMap((node) => (typeof node[name] === 'string' ? [node[name]] : []));
const inSdl = [...sdl.matchAll(/pattern: ("(?:[^"\\]|\\.)*")/g)].map(([, text]): string => JSON.parse(text ?? '""'));

export const patterns = [...new Set([...textsOf('pattern'), ...inSdl])];
/** The formats of the contracts, without bytes, which are not checked as text. */
export const named = [...new Set(textsOf('format'))].filter((name) => name !== 'binary');

export type Check = (text: string) => unknown;

function formatCheck(name: string): Check {
  const found: unknown = Reflect.get({ ...fullFormats, ...formats }, name);
  if (found instanceof RegExp) return (text) => found.test(text);
  if (typeof found === 'function') return (text) => found(text);
  const validate: unknown = typeof found === 'object' && found !== null ? Reflect.get(found, 'validate') : undefined;
  if (validate instanceof RegExp) return (text) => validate.test(text);
  if (typeof validate === 'function') return (text) => validate(text);
  throw new Error(`the format ${name} is not known`);
}

export const checks: readonly [name: string, Check][] = [
  ...patterns.map((pattern): [string, Check] => {
    const compiled = new RegExp(pattern, 'u');
    return [pattern, (text) => compiled.test(text)];
  }),
  ...named.map((name): [string, Check] => [name, formatCheck(name)]),
];

// Long runs of characters that patterns repeat, with an end that matches no pattern.
const runs = [
  ...['a', '0', ' ', '-', '.', '@', '+', '(', ':', '/', '%', 'é', '\ud800'],
  ...['a.', 'a@', 'a-', 'a:', '0.', '0-', '0:', ' 0', '%20', '//', 'http://a', '2026-01-01T'],
];

export const attacksOf = (length: number): string[] =>
  runs.flatMap((run) => {
    const text = run.repeat(Math.ceil(length / run.length));
    return [text, `${text}\n`, `a@${text}!`, `https://${text} `];
  });

// An exponential pattern stalls on the first text, a quadratic one on the third or fourth.
const attacks = [30, 1_000, 10_000, 100_000, 1_000_000].map((length) => ({ length, texts: attacksOf(length) }));

/** The shortest of three tries, so that other work of the machine does not count. */
function cost(check: Check, text: string): number {
  const tries = [0, 1, 2].map(() => {
    const start = performance.now();
    check(text);
    return performance.now() - start;
  });
  return Math.min(...tries);
}

/** Milliseconds of the slowest text of up to `longest` characters. Stops at a text that takes over `bearableMs`. */
export function dearest(check: Check, longest: number, bearableMs: number): number {
  let most = 0;
  for (const text of attacks.flatMap(({ length, texts }) => (length <= longest ? texts : []))) {
    most = Math.max(most, cost(check, text));
    if (most > bearableMs) break;
  }
  return most;
}
