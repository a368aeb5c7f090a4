import type { Fault } from './fault.js';
import { costlyDocuments } from './requests/costly-documents.js';
import { costlyPatterns } from './requests/costly-patterns.js';
import { costlyRequests } from './requests/costly-requests.js';
import { largeRequests } from './requests/large-requests.js';
import { slowClients } from './requests/slow-clients.js';
import { slowReaders } from './requests/slow-readers.js';
import { variedTypes } from './requests/varied-types.js';
import { canaries } from './secrets/canaries.js';
import { innerAddresses } from './secrets/inner-addresses.js';
import { revokedTokens } from './secrets/revoked-tokens.js';
import { backlog } from './sending/backlog.js';
import { hostileReceivers } from './sending/hostile-receivers.js';
import { isolation } from './sending/isolation.js';
import { otherAnswers } from './sending/other-answers.js';
import { randomFailures } from './sending/random-failures.js';
import { schedule } from './sending/schedule.js';
import { simulation } from './sending/simulation.js';
import { slowReceivers } from './sending/slow-receivers.js';
import { killedSender } from './sending/stopped-senders.js';
import { suspendedSender } from './sending/suspended-sender.js';
import { takeover } from './sending/takeover.js';
import { unrecordedAnswer } from './sending/unrecorded-answer.js';
import { untrustedReceivers } from './sending/untrusted-receivers.js';
import { frozenRedis } from './surroundings/frozen-redis.js';
import { killedApi } from './surroundings/killed-api.js';
import { endedConnections, endedDatabase } from './surroundings/orders-under-load.js';
import { pooler } from './surroundings/pooler.js';

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
