import type { CheckResult, Finding, VerifyReceiver } from '../../endpoints/verification.js';
import { createHttpClient } from '../http-client.js';
import { createNames } from '../lookup.js';
import { standardSettings } from '../settings.js';
import { acceptanceChecks, refusalChecks, rotationChecks } from './checks.js';
import { answerChecks, connectionChecks } from './judging.js';
import { type Check, createTrial, type Limits, type Trial, type Way } from './trial.js';

const { deadlineMs, connectMs } = standardSettings;
const standardLimits: Limits = { deadlineMs, connectMs, slowMs: 3_000, totalMs: 300_000 };

/** Checks that stop all later checks when they fail, because those would only repeat the failure. */
const GATES = new Set([...Object.keys(connectionChecks), 'delivery']);

/** Makes a function that checks a receiver by requests, one after another. All checks share `totalMs`. */
export const createVerifier =
  (way: Way, limits: Limits = standardLimits): VerifyReceiver =>
  async (receiver, began) => {
    const checks = Object.entries({
      ...connectionChecks,
      ...acceptanceChecks,
      ...(receiver.oldSecret !== undefined && rotationChecks(receiver.secret, receiver.oldSecret)),
      ...refusalChecks,
      ...answerChecks,
    });
    const trial = createTrial(receiver, way, limits);
    const endsAt = performance.now() + limits.totalMs;
    const results: CheckResult[] = [];
    for (const [check, { means, needs, run }] of checks) {
      began(check, results.length + 1, checks.length);
      const obstacle = performance.now() > endsAt ? 'the time is over' : obstacleTo(needs, results);
      const finding: Finding =
        obstacle === undefined ? await tried(run, trial) : { result: 'not_tried', seen: obstacle };
      results.push({ check, means, ...finding });
    }
    return results;
  };

/** Sends requests with the worker's client, which checks names and addresses in the same way. */
export const verifyReceiver: VerifyReceiver = async (receiver, began) => {
  const { addresses, extraCa } = receiver;
  const { lookup } = createNames(addresses);
  const client = createHttpClient({ ...standardSettings, addresses, extraCa, lookup });
  try {
    return await createVerifier({ send: client.send, lookup })(receiver, began);
  } finally {
    client.close();
  }
};

function obstacleTo(needs: string | undefined, results: readonly CheckResult[]): string | undefined {
  const stopping = results.find(
    ({ check, result }) => (result === 'failed' || result === 'not_tried') && (check === needs || GATES.has(check)),
  );
  return stopping && `see ${stopping.check}`;
}

/** Runs a check. A handshake that fails is a finding, too. */
async function tried(run: Check['run'], trial: Trial): Promise<Finding> {
  try {
    return await run(trial);
  } catch (error) {
    const advice = 'See that the name leads to the receiver, that it listens at this port, and that it speaks TLS.';
    return { result: 'failed', seen: error instanceof Error ? error.message : String(error), advice };
  }
}
