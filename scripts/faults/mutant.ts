import type { FaultName } from './names.js';

/** A way to build the service wrong, and the fault that must find it. */
export interface Mutant {
  name: string;
  fault: FaultName;
  edits: readonly { file: string; from: string; to: string }[];
}

export const one = (fault: FaultName, name: string, file: string, from: string, to: string): Mutant => ({
  name,
  fault,
  edits: [{ file, from, to }],
});
