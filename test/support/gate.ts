import { withResolvers } from '../../src/base/values.js';

/** Holds whoever comes until it is opened. */
export interface Gate {
  passed(): Promise<void>;
  open(): void;
}

export function gateOf(): Gate {
  const { promise, resolve } = withResolvers<void>();
  return { passed: () => promise, open: resolve };
}
