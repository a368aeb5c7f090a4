/** A module with its promises, the bounds within which TLC checks them, and broken variants that TLC must find. */
export interface Model {
  module: string;
  /** Invariants of the module. Their comments use the words of docs/architecture.md. */
  promises: readonly string[];
  /** `small` modules run in CI. */
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
  /** The mutant of lab/faults with the same defect. */
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

const floors: Constants = { Enqueuers: set(3), MaxFreezes: 3 };
const replays: Constants = { Deliveries: set(1), Tests: 1, MaxClaims: 2 };
const erasure: Constants = { Packages: set(2), MaxClaims: 1 };
const orders: Constants = { Orders: set(3), Wrong: '{}', Keyed: '{}', Most: 3, MaxLost: 1 };
const movements: Constants = { Packages: set(2), Times: set(2), Requests: set(2), Cancels: '{}', Reopens: '{}' };

export const models: readonly Model[] = [
  {
    module: 'Lanes',
    promises: ['NothingLost', 'NothingOwed', 'ReceiverIsServed', 'OneUnderWay', 'NothingStuck'],
    bounds: [
      { small: true, constants: lanes(1, 2, 2, { MaxDisables: 1 }) },
      { small: true, constants: lanes(2, 1, 2, changed) },
      { small: true, constants: lanes(2, 1, 2, { First: 2, Second: 1 }) },
      { small: false, constants: lanes(1, 2, 3, { MaxDisables: 1 }) },
      { small: false, constants: lanes(2, 1, 1, { ...changed, MaxDisables: 1 }) },
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
      { broken: 'requests outlive leases', constants: lanes(1, 2, 3) },
      { broken: 'frozen by anybody', constants: lanes(1, 2, 3) },
      { broken: 'refused deliveries are removed', constants: lanes(1, 2, 2) },
      { broken: 'no sweep of idle lanes', constants: lanes(2, 1, 1) },
      { broken: 'no sweep of stopped lanes', constants: lanes(1, 1, 1, { MaxDisables: 1 }) },
      { broken: 'nothing is owed after 410', constants: lanes(1, 2, 1) },
      { broken: 'nobody is awaited', constants: lanes(1, 1, 1, { MaxDisables: 1 }) },
      { broken: 'new lanes are not held', constants: lanes(1, 2, 3, changed) },
      { broken: 'lanes change beside enqueuers', constants: lanes(1, 1, 1, changed) },
      { broken: 'older lanes go with what waits', constants: lanes(1, 1, 1, changed) },
    ],
  },
  {
    module: 'Floors',
    promises: ['NothingBelow'],
    bounds: [
      { small: true, constants: floors },
      { small: false, constants: { Enqueuers: set(5), MaxFreezes: 4 } },
    ],
    variants: [
      { broken: 'a floor is the oldest that was read', constants: floors },
      { broken: 'all is settled that was read before', constants: { ...floors, Enqueuers: set(4) } },
      {
        broken: 'a notification has its id before its transaction',
        constants: { ...floors, Enqueuers: set(4) },
      },
    ],
  },
  {
    module: 'Replays',
    promises: ['AcceptedIsKept', 'LaneGoesOn'],
    bounds: [
      { small: true, constants: { ...replays, MaxClaims: 3 } },
      { small: false, constants: { Deliveries: set(2), Tests: 2, MaxClaims: 4 } },
    ],
    variants: [
      { broken: 'what is being sent again is not locked', constants: replays },
      { broken: 'what is removed is looked at once', constants: replays },
    ],
  },
  {
    module: 'Erasure',
    promises: ['ErasedForGood'],
    bounds: [
      { small: true, constants: erasure },
      { small: false, constants: { Packages: set(3), MaxClaims: 2 } },
    ],
    variants: [
      { broken: 'no lane is taken back', constants: erasure },
      { broken: 'bodies are replaced whatever they are', constants: erasure },
    ],
  },
  {
    module: 'OrdersTogether',
    promises: ['WrittenOnce', 'AnsweredForWhatIs', 'NoneForgotten', 'InTurns', 'NobodyHeldUp'],
    bounds: [
      { small: true, constants: { ...orders, Most: 2 } },
      { small: true, constants: { ...orders, Keyed: '{2, 3}', Wrong: '{1}' } },
      { small: false, constants: { ...orders, Orders: set(5), Keyed: '{2, 4}', Wrong: '{3}', MaxLost: 2 } },
      { small: false, constants: { ...orders, Orders: set(5), MaxLost: 2 } },
    ],
    variants: [
      { broken: 'what is looked up is read once', constants: orders },
      {
        broken: 'what was not answered is run again',
        constants: orders,
        mutant: 'what was not answered is run again',
      },
      {
        broken: 'a batch waits for a lock as long as an order alone',
        constants: orders,
        mutant: 'a batch waits for a lock as long as an order alone',
      },
      { broken: 'accounts take no turns', constants: { ...orders, Most: 2 } },
      { broken: 'a batch fails as a whole', constants: { ...orders, Wrong: '{2}' } },
      { broken: 'no answer is stored', constants: { ...orders, Keyed: '{2, 3}' } },
    ],
  },
  {
    module: 'Movements',
    promises: ['OrderFollows', 'EndsOnce', 'LatestIsCurrent', 'BackToBefore', 'NoMixedEnd', 'NoDeadlock'],
    bounds: [
      { small: true, constants: movements },
      { small: true, constants: { ...movements, Cancels: '{1}' } },
      { small: true, constants: { ...movements, Packages: set(1), Requests: set(4), Reopens: '{1}' } },
      { small: true, constants: { ...movements, Requests: set(3), Reopens: '{1}', Cancels: '{2}' } },
      { small: false, constants: { ...movements, Requests: set(3), Cancels: '{1}', Times: set(3) } },
      { small: false, constants: { ...movements, Requests: set(3) } },
    ],
    variants: [
      { broken: 'packages are read before they are locked', constants: movements },
      { broken: 'a final status does not end a package', constants: movements },
      { broken: 'a late final status only joins the history', constants: movements },
      { broken: 'stages are read before the order is locked', constants: { ...movements, Times: set(1) } },
      {
        broken: 'the status recorded last comes back',
        constants: { ...movements, Packages: set(1), Requests: set(4), Reopens: '{1}' },
      },
      { broken: 'packages are locked in any order', constants: { ...movements, Cancels: '{1, 2}' } },
    ],
  },
];
