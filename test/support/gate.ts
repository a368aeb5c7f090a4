/** Holds all callers until it is opened. */
export type Gate = ReturnType<typeof gateOf>;

export function gateOf() {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { passed: () => promise, open: resolve };
}
