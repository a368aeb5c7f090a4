import { withResolvers } from '../../src/base/values.js';

/** Holds whoever comes until it is opened. */
export type Gate = ReturnType<typeof gateOf>;

export function gateOf() {
  const { promise, resolve } = withResolvers<void>();
  return { passed: () => promise, open: resolve };
}
