import type { FaultName, TopologyFaultName } from './names.js';

/** A wrong build or a wrong setup of the service, and the fault that must find it. */
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
