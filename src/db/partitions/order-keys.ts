import { sql } from 'kysely';
import type { Db } from '../connect.js';
import { scalar } from '../one-row.js';
import { patiently } from '../transaction.js';

/** Hears of each part of the work; `rows` grows while it lasts. */
export type TellPartitioning = (part: {
  table: string;
  step: 'copying keys' | 'reading once' | 'building an index' | 'partitioned';
  rows?: number;
}) => void;

/** A table of keys, the plain table that its rows come from, and the view that says where both are looked up. */
interface KeyTable {
  keys: string;
  source: string;
  id: string;
  /** Columns of the table of keys, and what they are in the plain table. */
  columns: string;
  values: string;
  where: string;
  view: string;
}

const keyTables: readonly KeyTable[] = [
  {
    keys: 'order_external_ids',
    source: 'orders',
    id: 'id',
    columns: 'account_id, external_id, order_id',
    values: 'account_id, external_id, id',
    where: 'external_id is not null',
    view: 'orders_by_external_id',
  },
  {
    keys: 'package_codes',
    source: 'packages',
    id: 'loggi_key',
    columns: 'tracking_code, barcode, loggi_key',
    values: 'tracking_code, barcode, loggi_key',
    where: 'true',
    view: 'packages_by_code',
  },
  {
    keys: 'movement_keys',
    source: 'movements',
    id: 'id',
    columns: 'id, loggi_key',
    values: 'id, loggi_key',
    where: 'seq > 1',
    view: 'movements_by_id',
  },
];

/** Copies the keys of plain tables; triggers write those of new rows meanwhile. Cut off, it goes on where it was. */
export async function copyKeys(db: Db, tell: TellPartitioning): Promise<void> {
  if (await scalar(db, sql<boolean>`orders_are_partitioned()`)) return;
  for (const table of keyTables) await patiently(() => db.transaction().execute((trx) => addTrigger(trx, table)));
  for (const table of keyTables) await copyTable(db, table, tell);
}

const triggerOf = ({ source }: KeyTable) => sql.ref(`keys_of_${source}`);

// Model: Partitions!AddTrigger (lab/models)
async function addTrigger(trx: Db, table: KeyTable): Promise<void> {
  const [trigger, source] = [triggerOf(table), sql.table(table.source)];
  const { keys, columns, values, where } = table;
  await sql`
    create or replace function ${trigger}() returns trigger language plpgsql as $$
    begin
      ${sql.raw(`insert into ${keys} (${columns}) select ${values} from added where ${where} on conflict do nothing`)};
      return null;
    end $$`.execute(trx);
  await sql`
    create or replace trigger ${trigger} after insert on ${source} referencing new table as added
    for each statement execute function ${trigger}()`.execute(trx);
}

const CHUNK = 5_000;

async function copyTable(db: Db, table: KeyTable, tell: TellPartitioning): Promise<void> {
  let rows = 0;
  for (let read = CHUNK; read === CHUNK; ) {
    read = await copyChunk(db, table);
    rows += read;
    tell({ table: table.source, step: 'copying keys', rows });
  }
}

// Model: Partitions!CopyChunk (lab/models)
async function copyChunk(db: Db, { keys, source, id, columns, values, where }: KeyTable): Promise<number> {
  const { rows } = await sql<{ read: number }>`
    with chunk as materialized (
      select * from ${sql.table(source)}
      where ${sql.ref(id)} > coalesce((select last_id from key_copies where source = ${source}), '00000000-0000-0000-0000-000000000000')
      order by ${sql.ref(id)} limit ${CHUNK}
    ), copied as (
      insert into ${sql.table(keys)} (${sql.raw(columns)})
      select ${sql.raw(values)} from chunk where ${sql.raw(where)} on conflict do nothing
    ), noted as (
      insert into key_copies (source, last_id)
      (select ${source}, ${sql.ref(id)} from chunk order by ${sql.ref(id)} desc limit 1)
      on conflict (source) do update set last_id = excluded.last_id
    )
    select count(*)::integer as read from chunk`.execute(db);
  return rows[0]?.read ?? 0;
}

/**
 * Makes the tables of keys say what is unique, in the transaction that partitions the plain tables.
 * Model: Partitions!Switch (lab/models)
 */
export async function useKeys(trx: Db): Promise<void> {
  for (const table of keyTables) {
    await sql`drop function if exists ${triggerOf(table)}() cascade`.execute(trx);
    const keys = sql`select ${sql.raw(table.columns)} from ${sql.table(table.keys)}`;
    await sql`create or replace view ${sql.table(table.view)} as ${keys}`.execute(trx);
  }
  await sql`
    create or replace function orders_are_partitioned() returns boolean
    language sql immutable as 'select true'`.execute(trx);
}
