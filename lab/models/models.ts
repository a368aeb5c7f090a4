/** A module with its promises, the bounds within which TLC checks them, and the broken variants that it must find. */
export interface Model {
  module: string;
  /** Invariants of the module; its comments say them in the words of docs/architecture.md. */
  promises: readonly string[];
  /** `small` ones are a part of CI. */
  bounds: readonly Bounds[];
  variants: readonly Variant[];
}

export type Constants = Readonly<Record<string, number | string>>;

interface Bounds {
  small: boolean;
  constants: Constants;
}

export interface Variant {
  /** The value of the module's constant `Broken`: the guard that is left out. */
  broken: string;
  constants: Constants;
  /** The mutant of lab/faults that is broken in the same way. */
  mutant?: string;
}

const set = (count: number): string => `{${Array.from({ length: count }, (_, at) => at + 1).join(', ')}}`;

const lanes = (packages: number, movements: number, claims: number, more: Constants = {}): Constants => ({
  Packages: set(packages),
  MaxMovements: movements,
  MaxClaims: claims,
  MaxAttempts: 2,
  MaxDisables: 0,
  First: 1,
  Second: 0,
  ...more,
});

const changed = { Second: 2 };

export const models: readonly Model[] = [
  {
    module: 'Lanes',
    promises: ['NothingLost', 'ReceiverIsServed', 'OneUnderWay', 'NothingStuck'],
    bounds: [
      { small: true, constants: lanes(1, 2, 2, { MaxDisables: 1 }) },
      { small: true, constants: lanes(2, 1, 2, changed) },
      { small: false, constants: lanes(1, 3, 4, { MaxDisables: 1 }) },
      { small: false, constants: lanes(2, 1, 3, { ...changed, MaxDisables: 1 }) },
      { small: false, constants: lanes(2, 2, 3, { First: 2, Second: 1 }) },
    ],
    variants: [
      {
        broken: 'enqueued after the commit',
        constants: lanes(1, 1, 1),
        mutant: 'notifications are enqueued after the commit',
      },
      {
        broken: 'leased lanes are claimed',
        constants: lanes(1, 1, 2),
        mutant: 'lanes are claimed although another worker has them',
      },
      { broken: 'frozen anew', constants: lanes(2, 1, 2), mutant: 'a frozen body is written anew' },
      { broken: 'the newest goes first', constants: lanes(1, 2, 2), mutant: 'a body tells of the newest movement' },
      {
        broken: 'recorded by anybody',
        constants: lanes(1, 2, 3),
        mutant: 'results are written without looking whose lease it is',
      },
      {
        broken: 'requests outlive leases',
        constants: lanes(1, 2, 3),
        mutant: 'a request may outlive its lease',
      },
      { broken: 'frozen by anybody', constants: lanes(1, 2, 3) },
      { broken: 'refused deliveries are removed', constants: lanes(1, 2, 2) },
      { broken: 'no sweep of idle lanes', constants: lanes(2, 1, 1) },
      { broken: 'no sweep of stopped lanes', constants: lanes(1, 1, 1, { MaxDisables: 1 }) },
      { broken: 'new lanes are not held', constants: lanes(1, 2, 3, changed) },
      { broken: 'lanes change beside enqueuers', constants: lanes(1, 1, 1, changed) },
      { broken: 'older lanes go with what waits', constants: lanes(1, 1, 1, changed) },
    ],
  },
];
