import { backlog } from './backlog.js';
import { canaries } from './canaries.js';
import type { Fault } from './common/fault.js';
import { costlyDocuments } from './costly-documents.js';
import { costlyPatterns } from './costly-patterns.js';
import { costlyRequests } from './costly-requests.js';
import { frozenRedis } from './frozen-redis.js';
import { hostileReceivers } from './hostile-receivers.js';
import { innerAddresses } from './inner-addresses.js';
import { isolation } from './isolation.js';
import { killedApi } from './killed-api.js';
import { killedSender } from './killed-sender.js';
import { largeRequests } from './large-requests.js';
import { endedConnections, endedDatabase } from './lost-database.js';
import { otherAnswers } from './other-answers.js';
import { pooler } from './pooler.js';
import { randomFailures } from './random-failures.js';
import { revokedTokens } from './revoked-tokens.js';
import { schedule } from './schedule.js';
import { simulation } from './simulation.js';
import { slowClients } from './slow-clients.js';
import { slowReaders } from './slow-readers.js';
import { slowReceivers } from './slow-receivers.js';
import { suspendedSender } from './suspended-sender.js';
import { takeover } from './takeover.js';
import { unrecordedAnswer } from './unrecorded-answer.js';
import { untrustedReceivers } from './untrusted-receivers.js';
import { variedTypes } from './varied-types.js';

export const faults: readonly Fault[] = [
  killedSender,
  unrecordedAnswer,
  killedApi,
  takeover,
  suspendedSender,
  endedDatabase,
  endedConnections,
  schedule,
  otherAnswers,
  hostileReceivers,
  untrustedReceivers,
  isolation,
  slowReceivers,
  backlog,
  randomFailures,
  frozenRedis,
  innerAddresses,
  canaries,
  largeRequests,
  variedTypes,
  slowClients,
  slowReaders,
  costlyDocuments,
  costlyPatterns,
  costlyRequests,
  pooler,
  revokedTokens,
  simulation,
];
