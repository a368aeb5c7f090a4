import { sql } from 'kysely';
import { inBackground } from '../base/background.js';
import type { KeyRing } from '../base/keys.js';
import type { Logger } from '../base/log.js';
import type { Db } from '../db/connect.js';
import { transaction } from '../db/transaction.js';
import { dueMovement, waitingPackages } from '../packages/sandbox/waiting.js';
import { recordMovements } from './record-movements.js';

interface SandboxOptions {
  db: Db;
  log: Logger;
  /** Open the PINs of packages. */
  keys: KeyRing;
  /** Mean pause between two movements of a package; 0 for no pause. */
  paceSeconds: number;
}

/** Movements of one round at most, so that a round is a short transaction. */
const ROUND_SIZE = 200;

/**
 * Lets packages move by themselves, for integrators who have no carrier behind their orders: the courses are
 * packages/sandbox/course.ts. Any number of processes may do so. The function returned ends it, after the round that runs.
 */
export function startSandbox({ db, log, keys, paceSeconds }: SandboxOptions): () => Promise<void> {
  const pauseMs = Math.min(Math.max(paceSeconds * 100, 50), 500);
  log.info({ paceSeconds }, 'sandbox: packages move by themselves');
  return inBackground(async () => {
    const moved = await moveDuePackages(db, keys, paceSeconds).catch((err: unknown) => {
      log.warn({ err }, 'the sandbox cannot move packages');
      return 0;
    });
    if (moved > 0) log.debug({ moved }, 'the sandbox moved packages');
    return moved < ROUND_SIZE ? pauseMs : 0;
  });
}

/**
 * One round: records the next step of each package whose pause is over; resolves to their number. Does nothing while another
 * process runs a round; without that lock nothing worse would happen than refusals, as a step has one id for all.
 */
export function moveDuePackages(db: Db, keys: KeyRing, paceSeconds: number): Promise<number> {
  return transaction(db, async (trx) => {
    const { rows } = await sql<{ mine: boolean }>`
      select pg_try_advisory_xact_lock(hashtextextended('malote sandbox', 0)) as mine`.execute(trx);
    if (!rows[0]?.mine) return 0;
    const waiting = await waitingPackages(trx, paceSeconds, ROUND_SIZE);
    const movements = waiting.flatMap((each) => dueMovement(each, paceSeconds, keys) ?? []);
    if (movements.length === 0) return 0;
    const { outcomes } = await recordMovements(trx, movements);
    return outcomes.filter(({ result }) => result === 'recorded').length;
  });
}
