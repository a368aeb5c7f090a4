/**
 * Bodies that name every key. In a contract most keys are optional, so a mapper that forgets one would compile.
 * Therefore an answer is typed by `EveryKey`, with `undefined` for a key that is left out; a mapper of a request takes
 * the body apart, and the remaining keys `satisfies NoKey`; and the domain's input is made by `omitUndefined`.
 */
export type EveryKey<T> = T extends Uint8Array | Date
  ? T
  : T extends readonly (infer Item)[]
    ? EveryKey<Item>[]
    : T extends object
      ? string extends keyof T
        ? T
        : { [Key in keyof T]-?: EveryKey<T[Key]> | (T extends Record<Key, T[Key]> ? never : undefined) }
      : T;

export type NoKey = Record<string, never>;

/** Every key of an input, at the top level only. */
type AllKeys<T> = { [Key in keyof T]-?: T[Key] | (T extends Record<Key, T[Key]> ? never : undefined) };

/** The input without the keys that are undefined. */
export function omitUndefined<T extends object>(input: AllKeys<T>): T;
export function omitUndefined(input: Readonly<Record<string, unknown>>): object {
  const result: Record<string, unknown> = {};
  for (const key in input) if (input[key] !== undefined) result[key] = input[key];
  return result;
}
