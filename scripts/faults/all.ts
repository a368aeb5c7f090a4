import type { Fault } from './common/fault.js';
import { killedSender } from './killed-sender.js';
import { randomFailures } from './random-failures.js';
import { suspendedSender } from './suspended-sender.js';
import { takeover } from './takeover.js';
import { unrecordedAnswer } from './unrecorded-answer.js';

export const faults: readonly Fault[] = [killedSender, unrecordedAnswer, takeover, suspendedSender, randomFailures];
