/** A piece of code for the compiler: an invention of the tests, not a file of the project. */
export interface Snippet {
  readonly name: string;
  readonly code: string;
  /** What the compiler must complain of, and of nothing else; absent where it must not complain. */
  readonly wrong?: RegExp;
}

/** Complaints of the compiler: a member is missing, a value does not fit, nothing of this name is there. */
export const MISSING = /^TS(2741|2739|2740) /;
export const MISFIT = /^TS2322 /;
export const UNKNOWN = /^TS2339 /;
