import type { Readable, Writable } from 'node:stream';

/** The streams that a command reads and writes; `isTTY` where a person is there. */
export interface Terminal {
  stdin: Readable & { isTTY?: boolean };
  stdout: Writable & { isTTY?: boolean; columns?: number };
  stderr: Writable & { isTTY?: boolean };
}
