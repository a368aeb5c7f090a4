import type { Cause } from '../diagnosis.js';
import type { State } from '../state.js';
import {
  archiveRefusing,
  diskFilling,
  heldSnapshot,
  killedLeader,
  killedPooler,
  killedRedis,
  lostStandby,
  noQuorum,
  replicaBehind,
} from './parts.js';
import { hungProcess, killedApi, killedWorker, oldBinary, wrongClock, wrongKey } from './processes.js';
import { expiredCertificate, growingDeadLetters, noisyAccountState, silentNames, slowReceivers } from './receivers.js';

export const states: Readonly<Record<Cause, State>> = {
  'killed-api': killedApi,
  'killed-worker': killedWorker,
  'killed-leader': killedLeader,
  'killed-pooler': killedPooler,
  'killed-redis': killedRedis,
  'lost-standby': lostStandby,
  'archive-refusing': archiveRefusing,
  'disk-filling': diskFilling,
  'wrong-clock': wrongClock,
  'hung-process': hungProcess,
  'noisy-account': noisyAccountState,
  'old-binary': oldBinary,
  'wrong-key': wrongKey,
  'silent-names': silentNames,
  'expired-certificate': expiredCertificate,
  'slow-receivers': slowReceivers,
  'held-snapshot': heldSnapshot,
  'replica-behind': replicaBehind,
  'no-quorum': noQuorum,
  'dead-letters': growingDeadLetters,
};
