/** A piece of code for the compiler: an invention of the tests, not a file of the project. */
export interface Snippet {
  readonly name: string;
  /** Its first lines, which others have too. */
  readonly preamble: string;
  readonly code: string;
  /** The compiler's only complaint; absent where it must have none. */
  readonly wrong?: RegExp;
}

/** Makes snippets about one thing, which begin alike. */
export const snippetsAbout = (what: string, preamble: string) => ({
  right: (name: string, code: string): Snippet => ({ name: `${what}: ${name}`, preamble, code }),
  wrong: (name: string, code: string, complaint: RegExp): Snippet => ({
    name: `${what}: ${name}`,
    preamble,
    code,
    wrong: complaint,
  }),
});

/** Complaints of the compiler: a member is missing, a value does not fit, nothing of this name is there. */
export const MISSING = /^TS(2741|2739|2740) /;
export const MISFIT = /^TS2322 /;
export const UNKNOWN = /^TS2339 /;
