import type { Logger } from '../base/telemetry/log.js';
import type { Db } from '../db/connect.js';
import { transaction } from '../db/transaction.js';
import { notifyNewest, owedPackages, unsentMovements } from '../packages/catch-up.js';
import { type TrackingKey, trackingRecords } from '../packages/tracking.js';
import { advanceCatchUp, type CatchUp, postponeCatchUp, takeCatchUp } from '../queue/catch-ups.js';
import { queueNewBody } from '../queue/replay.js';
import { bodyOf } from './body.js';

/**
 * Looks at the next packages of the catch-up whose turn it is. The same transaction records the position. Returns the
 * number of packages, or undefined if no catch-up has a turn.
 */
export async function catchUp(db: Db, log: Logger): Promise<number | undefined> {
  let taken: CatchUp | undefined;
  try {
    return await transaction(db, async (trx) => {
      taken = await takeCatchUp(trx);
      if (!taken?.hasBegun) return taken && 0;
      const page = await owedPackages(trx, taken);
      if (taken.kind === 'unsent') await queueUnsent(trx, taken, page.keys);
      else await notifyNewest(trx, taken, page.keys);
      await advanceCatchUp(trx, taken, page);
      return page.looked;
    });
  } catch (err) {
    if (!taken) throw err;
    log.error({ err, endpointId: taken.endpointId }, 'webhook.catch_up_failed');
    await postponeCatchUp(db, taken);
    return 0;
  }
}

const MAX_IN_BODY = 50;

/** Queues bodies of movements that were never sent. Several movements of a package go into several bodies, in order. */
async function queueUnsent(trx: Db, catchUp: CatchUp, keys: readonly string[]): Promise<void> {
  let left = await unsentMovements(trx, catchUp, keys);
  while (left.length > 0) {
    const next = oldestOfEach(left);
    const records = await trackingRecords(trx, next);
    const { bytes, count } = bodyOf(records);
    if (count > 0) await queueNewBody(trx, catchUp.endpointId, { body: bytes, packageCount: count });
    const kept = records.slice(count);
    left = left.filter((movement) => !next.includes(movement) || kept.some((record) => isOf(record, movement)));
  }
}

const isOf = (record: TrackingKey, { loggiKey, seq }: TrackingKey): boolean =>
  record.loggiKey === loggiKey && record.seq === seq;

function oldestOfEach(movements: readonly TrackingKey[]): TrackingKey[] {
  const oldest = new Map<string, TrackingKey>();
  for (const movement of movements) if (!oldest.has(movement.loggiKey)) oldest.set(movement.loggiKey, movement);
  return [...oldest.values()].slice(0, MAX_IN_BODY);
}
