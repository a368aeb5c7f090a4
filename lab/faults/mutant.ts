import type { FaultName, TopologyFaultName } from './names.js';

/** A way to build the service, or to set it up, wrong, and the fault that must find it. */
export interface Mutant<Name extends FaultName | TopologyFaultName = FaultName> {
  name: string;
  fault: Name;
  edits: readonly { file: string; from: string; to: string }[];
}

export const one = <Name extends FaultName | TopologyFaultName>(
  fault: Name,
  name: string,
  file: string,
  from: string,
  to: string,
): Mutant<Name> => ({ name, fault, edits: [{ file, from, to }] });
