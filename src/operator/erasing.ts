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
  /** Days from an order's end to the erasure of its recipients; 0 is never. */
  personalDataDays: number;
  /** Days without a movement after which a package counts as ended; 0 is never. */
  lostAfterDays: number;
  runSweep?: Sweep;
}

const PAUSE_MS = 2_000;

/**
 * Erases personal data when its time has come or the operator has requested it, in short transactions. Any number of
 * processes may do so: each step locks what it changes and does nothing a second time, and what takes long is leased.
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

/** One round of everything that is due; resolves to whether anything was done. */
export async function eraseOnce(options: ErasingOptions, signal?: AbortSignal): Promise<boolean> {
  const { db, eraseAfterDays, personalDataDays } = options;
  const endedCount = await each(options, await unrecordedDeletions(db), endAccount);
  const erasedCount = await each(options, await dueErasures(db, eraseAfterDays), eraseUnlessHeld);
  if (personalDataDays > 0) await ensureRecipientErasure(db, personalDataDays);
  const erasure = await claimErasure(db);
  if (erasure) await perform(options, erasure, signal);
  return endedCount + erasedCount > 0 || erasure !== undefined;
}

/** Resolves to how many accounts it was done for: one that fails is tried again in the next round. */
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

/** Completes the deletion of an account by an older version. */
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

/** The account itself has lost its personal data: the bodies stored and sent on its behalf remain. */
async function* accountSteps({ db, keys }: ErasingOptions, accountId: string): AsyncGenerator<number> {
  while ((await removeAnswersTo(db, accountId)) > 0) yield 0;
  await eraseAnswersAbout(db, keys, accountId);
  while (await removeHistoryOf(db, accountId)) yield 0;
}

/** Orders first: a body that is made after them holds nothing that would have to be erased. Yields their number. */
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
