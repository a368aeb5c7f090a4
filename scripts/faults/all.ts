import type { Fault } from './common/fault.js';
import { killedSender } from './killed-sender.js';
import { largeRequests } from './large-requests.js';
import { otherAnswers } from './other-answers.js';
import { randomFailures } from './random-failures.js';
import { schedule } from './schedule.js';
import { simulation } from './simulation.js';
import { slowClients } from './slow-clients.js';
import { suspendedSender } from './suspended-sender.js';
import { takeover } from './takeover.js';
import { unrecordedAnswer } from './unrecorded-answer.js';
import { untrustedReceivers } from './untrusted-receivers.js';
import { variedTypes } from './varied-types.js';

export const faults: readonly Fault[] = [
  killedSender,
  unrecordedAnswer,
  takeover,
  suspendedSender,
  schedule,
  otherAnswers,
  untrustedReceivers,
  randomFailures,
  largeRequests,
  variedTypes,
  slowClients,
  simulation,
];
