/** Ways in which a sender could be built wrong. The simulation must find each of them. */
export const breakages = [
  'a lane that is leased is claimed again before its lease ends',
  'a result is recorded without looking whose lease it is',
  'a body is frozen without looking whose lease it is',
  'a body is frozen anew at each attempt',
  '202 acknowledges',
  'a body that failed makes way for the next one',
  'a failed body is sent again at once',
  'the jitter is ten times as large',
  'Retry-After is not heard',
  'a body is given up an attempt too early',
  'a body tells of the newest movement of a package',
  'idle lanes are not swept',
] as const;

export type Breakage = (typeof breakages)[number];
