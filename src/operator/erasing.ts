import {
  dueErasures,
  eraseAnswersAbout,
  eraseUnlessHeld,
  forgetCredentials,
  unrecordedDeletions,
} from '../accounts/delete-account.js';
import {
  claimErasure,
  type Erasure,
  ensureRecipientErasure,
  finishErasure,
  keepErasure,
  releaseErasure,
} from '../accounts/erasures.js';
import { inBackground, type Sweep, unwatchedSweep } from '../base/background.js';
import type { KeyRing } from '../base/secrets/keys.js';
import type { Logger } from '../base/telemetry/log.js';
import type { Db } from '../db/connect.js';
import { transaction } from '../db/transaction.js';
import { removeAnswersTo } from '../idempotency/stored-answers.js';
import { eraseRecipients } from '../orders/erase-recipients.js';
import { eraseBodies } from '../packages/erase-packages.js';
import { endEndpointsOf, removeHistoryOf, takeBackUnfrozen } from '../queue/erasure.js';

export interface ErasingOptions {
  db: Db;
  log: Logger;
  keys: KeyRing;
  /** Days from an account's deletion to its erasure. */
  eraseAfterDays: number;
  /** Days from an order's end to the erasure of its recipients. 0 means never. */
  personalDataDays: number;
  /** Days without a movement after which a package counts as ended. 0 means never. */
  lostAfterDays: number;
  runSweep?: Sweep;
}

const PAUSE_MS = 2_000;

/**
 * Erases personal data that is due or whose erasure an operator requested, in short transactions. Several processes may
 * do so at once. Each step locks the rows that it changes, and a repeated step changes nothing. Long work is leased.
 */
export function startErasing(options: ErasingOptions): () => Promise<void> {
  const { runSweep = unwatchedSweep } = options;
  return inBackground(async (signal) => {
    const round = async () => Number(await eraseOnce(options, signal));
    const rounds = await runSweep('erasure', PAUSE_MS, round).catch((err: unknown) => {
      options.log.warn({ err }, 'erasure.failed');
      return 0;
    });
    return rounds === 0 ? PAUSE_MS : 0;
  });
}

/** Does everything that is due once. True if it did anything. */
export async function eraseOnce(options: ErasingOptions, signal?: AbortSignal): Promise<boolean> {
  const { db, eraseAfterDays, personalDataDays } = options;
  const endedCount = await each(options, await unrecordedDeletions(db), endAccount);
  const erasedCount = await each(options, await dueErasures(db, eraseAfterDays), eraseUnlessHeld);
  if (personalDataDays > 0) await ensureRecipientErasure(db, personalDataDays);
  const erasure = await claimErasure(db);
  if (erasure) await perform(options, erasure, signal);
  return endedCount + erasedCount > 0 || erasure !== undefined;
}

/**
 * Does the work for each account. Returns the number of successes. Failed accounts are tried again in the next round.
 */
async function each(
  { db, log }: ErasingOptions,
  accountIds: readonly string[],
  work: (db: Db, accountId: string) => Promise<void>,
): Promise<number> {
  let done = 0;
  for (const accountId of accountIds) {
    try {
      await work(db, accountId);
      done += 1;
    } catch (err) {
      log.warn({ err, accountId }, 'erasure.account_failed');
    }
  }
  return done;
}

/** Completes a deletion that an older version of the service began. */
function endAccount(db: Db, id: string): Promise<void> {
  return transaction(db, async (trx) => {
    await forgetCredentials(trx, id);
    await endEndpointsOf(trx, id);
  });
}

// Model: Erasure!Finish (lab/models)
async function perform(options: ErasingOptions, erasure: Erasure, signal?: AbortSignal): Promise<void> {
  const { db, log } = options;
  const steps =
    erasure.accountId === null ? recipientSteps(options, erasure) : accountSteps(options, erasure.accountId);
  for await (const orders of steps) {
    await keepErasure(db, erasure.id, orders);
    if (signal?.aborted) return releaseErasure(db, erasure.id);
  }
  await finishErasure(db, erasure.id);
  log.info({ erasureId: erasure.id, kind: erasure.kind, accountId: erasure.accountId }, 'erasure.done');
}

/** Erases stored answers and sent bodies of an account. The account's own row has already lost its personal data. */
async function* accountSteps({ db, keys }: ErasingOptions, accountId: string): AsyncGenerator<number> {
  while ((await removeAnswersTo(db, accountId)) > 0) yield 0;
  await eraseAnswersAbout(db, keys, accountId);
  while (await removeHistoryOf(db, accountId)) yield 0;
}

/**
 * Erases recipients. Orders come first, so that a later body no longer contains data to erase. Yields the number of
 * orders.
 */
async function* recipientSteps(
  { db, keys, lostAfterDays }: ErasingOptions,
  { before }: Erasure,
): AsyncGenerator<number> {
  if (!before) return;
  yield* eraseRecipients(db, keys, { before, lostAfterDays });
  await takeBackUnfrozen(db);
  for (let after = await eraseBodies(db, keys); after !== undefined; after = await eraseBodies(db, keys, after))
    yield 0;
}
