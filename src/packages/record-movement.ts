import type { Db } from '../db/connect.js';
import { transaction } from '../db/transaction.js';
import { enqueueNotifications } from '../deliveries/enqueue.js';
import { type Decided, decideMovements } from './decide-movements.js';
import type { MovementOutcome, NewMovement } from './movement.js';
import type { Known } from './movement-state.js';
import { lockPackages, readCatalogue, recordedUnder } from './read-for-movements.js';
import { insertMovements, removeMovements, updatePackages } from './write-movements.js';

export interface Recorded {
  /** One for each movement, in the order given. */
  outcomes: MovementOutcome[];
  /** Orders with a package whose current status changed. */
  orderIds: string[];
}

/**
 * Records movements and enqueues their notifications in one transaction, in a number of statements that does not depend on
 * how many there are. Packages are locked in the order of their keys, so that batches never deadlock, and `seq` follows
 * from that lock: its order is the order of commits. The rules are decide-movements.ts.
 */
export function recordMovements(db: Db, items: readonly NewMovement[]): Promise<Recorded> {
  return transaction(db, async (trx) => {
    const statuses = await readCatalogue(trx);
    const locked = await lockPackages(trx, items);
    const decided = await settle(trx, items, { statuses, ...locked });
    if (decided.moved.length > 0) {
      await updatePackages(trx, decided.packages);
      await notify(trx, decided);
    }
    return { outcomes: decided.outcomes, orderIds: decided.orderIds };
  });
}

type Read = Omit<Known, 'recorded'>;

/**
 * Decides and inserts. An id that another transaction has just used for another package is not seen by the first look and
 * does not go in; the second look sees it.
 */
async function settle(trx: Db, items: readonly NewMovement[], read: Read): Promise<Decided> {
  const recorded = await recordedUnder(trx, items);
  const decided = decideMovements(items, { ...read, recorded });
  const inserted = await insertMovements(trx, decided.moved);
  if (inserted.length === decided.moved.length) return decided;
  await removeMovements(trx, inserted);
  return settle(trx, items, read);
}

async function notify(trx: Db, { moved, packages }: Decided): Promise<void> {
  const accounts = new Map(packages.map(({ loggiKey, accountId }) => [loggiKey, accountId]));
  const notified = moved.flatMap(({ loggiKey, seq }) => {
    const accountId = accounts.get(loggiKey);
    return accountId === undefined ? [] : [{ accountId, loggiKey, seq }];
  });
  await enqueueNotifications(trx, notified);
}
