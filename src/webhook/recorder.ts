import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../base/telemetry/log.js';
import type { AttemptResult, Recorded } from '../queue/record.js';
import { classify, type Outcome, type Verdict } from '../queue/schedule.js';
import type { ClaimedDelivery } from './next-deliveries.js';

export interface Recorder {
  record(result: AttemptResult, until: number): Promise<Recorded>;
  /** From now on, results that cannot be written are not tried again. */
  giveUp(): void;
}

interface Pending {
  result: AttemptResult;
  until: number;
  resolve(recorded: Recorded): void;
}

const MAX_AT_ONCE = 256;
const PAUSE_MS = 200;

/**
 * Writes results in batches. Results that arrive during a write, or that cannot be written now, join the next batch.
 */
export function createRecorder(
  write: (results: readonly AttemptResult[]) => Promise<Recorded[]>,
  log: Logger,
): Recorder {
  let waiting: Pending[] = [];
  let running = false;
  let triesAgain = true;

  const run = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, MAX_AT_ONCE);
      waiting = waiting.slice(MAX_AT_ONCE);
      const failures = await tryToWrite(batch);
      // Try each result alone, so that one bad result does not hold up the others.
      const unwritten = failures.length > 1 ? await writeEach(failures) : failures;
      waiting.push(...unwritten.filter(keepOrResolve));
      if (unwritten.length > 0) await sleep(PAUSE_MS);
    }
    running = false;
  };

  const tryToWrite = async (batch: readonly Pending[]): Promise<readonly Pending[]> => {
    try {
      const recorded = await write(batch.map(({ result }) => result));
      for (const [index, { resolve }] of batch.entries()) resolve(recorded[index] ?? { kind: 'lease-lost' });
      return [];
    } catch (err) {
      log.warn({ err, results: batch.length }, 'webhook.record_failed');
      return batch;
    }
  };

  const writeEach = async (batch: readonly Pending[]): Promise<Pending[]> => {
    const failures: Pending[] = [];
    for (const pending of batch) failures.push(...(await tryToWrite([pending])));
    return failures;
  };

  const keepOrResolve = ({ until, resolve }: Pending): boolean => {
    if (triesAgain && performance.now() < until) return true;
    resolve({ kind: 'lease-lost' });
    return false;
  };

  /**
   * Writes the result. Resolves when it is written, or when the lease ends at `until` (on the clock of
   * performance.now()).
   */
  const record = (result: AttemptResult, until: number): Promise<Recorded> =>
    new Promise((resolve) => {
      waiting.push({ result, until, resolve });
      if (running) return;
      running = true;
      setImmediate(() => void run());
    });

  return {
    record,
    giveUp: (): void => {
      triesAgain = false;
    },
  };
}

export function toResult(
  { claim, kind, webhookId, attemptsBefore }: ClaimedDelivery,
  { outcome, verdict, attemptedAt, slow }: { outcome: Outcome; verdict: Verdict; attemptedAt: Date; slow: boolean },
): AttemptResult {
  const answered = outcome.kind === 'answered' ? outcome : undefined;
  return {
    laneId: claim.laneId,
    claimId: claim.claimId,
    endpointId: claim.endpoint.id,
    webhookId,
    number: attemptsBefore + claim.attempts + 1,
    replay: kind === 'replay',
    verdict,
    outcome: classify(outcome),
    attemptedAt,
    durationMs: outcome.durationMs,
    statusCode: answered?.status ?? null,
    error: outcome.kind === 'answered' ? null : outcome.error,
    responseBody: answered?.body ?? null,
    slowAccountId: slow ? claim.accountId : null,
  };
}
