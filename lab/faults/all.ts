import type { Fault } from './fault.js';
import type { FaultName } from './names.js';
import { costlyDocuments, costlyPatterns } from './requests/costly-documents.js';
import { costlyRequests } from './requests/costly-requests.js';
import { largeRequests } from './requests/large-requests.js';
import { longTurns } from './requests/long-turns.js';
import { oneAccount } from './requests/one-account.js';
import { slowClients } from './requests/slow-clients.js';
import { slowReaders } from './requests/slow-readers.js';
import { unfinishedBodies } from './requests/unfinished-bodies.js';
import { variedTypes } from './requests/varied-types.js';
import { canaries } from './secrets/canaries.js';
import { innerAddresses } from './secrets/inner-addresses.js';
import { revokedTokens } from './secrets/revoked-tokens.js';
import { backlog } from './sending/backlog.js';
import { hostileReceivers } from './sending/hostile-receivers.js';
import { isolation } from './sending/isolation.js';
import { lostConnections } from './sending/lost-connections.js';
import { otherAnswers } from './sending/other-answers.js';
import { keysDoNotOpen, noNetwork, silentNameServers } from './sending/own-failures.js';
import { randomFailures } from './sending/random-failures.js';
import { schedule } from './sending/schedule.js';
import { slowReceivers } from './sending/slow-receivers.js';
import { killedWorker, suspendedWorker, takeover, unrecordedAnswer } from './sending/stopped-workers.js';
import { untrustedReceivers } from './sending/untrusted-receivers.js';
import { expiredKeys } from './surroundings/expired-keys.js';
import { frozenRedis } from './surroundings/frozen-redis.js';
import { limitsAcrossProcesses } from './surroundings/limits-across-processes.js';
import { lockedAccount, lostCommit } from './surroundings/orders-together.js';
import { endedConnections, endedDatabase, killedApi } from './surroundings/orders-under-load.js';
import { pooler } from './surroundings/pooler.js';
import { releaseTooOld } from './surroundings/release-too-old.js';
import { rollingRestart } from './surroundings/rolling-restart.js';
import { rollingUpgrade, transactionPooler } from './surroundings/rolling-upgrade.js';

export const faults: Readonly<Record<FaultName, Fault>> = {
  'killed-worker': killedWorker,
  'unrecorded-answer': unrecordedAnswer,
  'killed-api': killedApi,
  takeover,
  'suspended-worker': suspendedWorker,
  'ended-database': endedDatabase,
  'ended-connections': endedConnections,
  'locked-account': lockedAccount,
  'lost-commit': lostCommit,
  schedule,
  'other-answers': otherAnswers,
  'hostile-receivers': hostileReceivers,
  'lost-connections': lostConnections,
  'untrusted-receivers': untrustedReceivers,
  isolation,
  'slow-receivers': slowReceivers,
  'silent-name-servers': silentNameServers,
  'no-network': noNetwork,
  'keys-do-not-open': keysDoNotOpen,
  backlog,
  'random-failures': randomFailures,
  'frozen-redis': frozenRedis,
  'limits-across-processes': limitsAcrossProcesses,
  'inner-addresses': innerAddresses,
  canaries,
  'large-requests': largeRequests,
  'varied-types': variedTypes,
  'long-turns': longTurns,
  'one-account': oneAccount,
  'unfinished-bodies': unfinishedBodies,
  'slow-clients': slowClients,
  'slow-readers': slowReaders,
  'costly-documents': costlyDocuments,
  'costly-patterns': costlyPatterns,
  'costly-requests': costlyRequests,
  pooler,
  'rolling-restart': rollingRestart,
  'rolling-upgrade': rollingUpgrade,
  'transaction-pooler': transactionPooler,
  'release-too-old': releaseTooOld,
  'expired-keys': expiredKeys,
  'revoked-tokens': revokedTokens,
};
