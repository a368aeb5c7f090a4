import { sql } from 'kysely';
import type { Db } from '../connect.js';
import { oneRow, scalar } from '../one-row.js';

/** A lease. `holder` is a UUID of the process. */
type Lease = Record<'name' | 'holder', string>;

/**
 * Takes or keeps a lease for `ms`, by the database's clock. A pooler would lose an advisory lock together with its
 * session.
 */
export async function holdLease(db: Db, { name, holder }: Lease, ms: number): Promise<{ isMine: boolean; now: Date }> {
  const held = sql<{ isMine: boolean; now: Date }>`
    with held as (
      insert into leases (name, holder, held_until)
      select ${name}, ${holder}::uuid, clock_timestamp() + ${ms}::double precision * interval '1 millisecond'
      where not exists (select from leases where name = ${name} and holder <> ${holder} and held_until > clock_timestamp())
      on conflict (name) do update set holder = excluded.holder, held_until = excluded.held_until
      where leases.holder = excluded.holder or leases.held_until <= clock_timestamp()
      returning name
    )
    select exists (select from held) as "isMine", clock_timestamp() as now`;
  return oneRow(db, held);
}

/** Tells whether another process holds the lease now. */
export const isHeldByAnother = (db: Db, { name, holder }: Lease): Promise<boolean> =>
  scalar(
    db,
    sql<boolean>`exists (select from leases where name = ${name} and holder <> ${holder} and held_until > clock_timestamp())`,
  );

/** Gives a lease back, so that another process need not wait until it ends. */
export async function releaseLease(db: Db, { name, holder }: Lease): Promise<void> {
  await db.deleteFrom('leases').where('name', '=', name).where('holder', '=', holder).execute();
}
