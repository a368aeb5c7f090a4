import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { isFields } from '../base/values.js';
import type { Db } from './connect.js';
import { inPartitionsOf } from './near.js';
import {
  type AllClasses,
  kept,
  type Occasion,
  type Replacement,
  rewritten,
  rowGone,
  type TableName,
} from './tables/classes.js';
import { personalData } from './tables/personal-data.js';

export const tableNames = Object.keys(personalData).filter((name): name is TableName => name in personalData);

/** The personal columns of a table that an occasion erases, with their values after the erasure. */
export function personalColumns(table: TableName, on: Occasion): [column: string, to: Replacement<unknown>][] {
  const classes: AllClasses[TableName] = personalData[table];
  return Object.entries(classes[on] ?? {});
}

/** Erases the matching rows or their personal columns. Resolves to their number. Doing it again changes nothing. */
export async function eraseRows(db: Db, table: TableName, on: Occasion, where: RawBuilder<SqlBool>): Promise<number> {
  const columns = personalColumns(table, on).filter(([, to]) => to !== rewritten);
  if (columns.length === 0) return 0;
  const statement = columns.some(([, to]) => to === rowGone)
    ? sql`delete from ${sql.table(table)} where ${where}`
    : sql`update ${sql.table(table)} set ${sql.join(columns.map(assignment))} where ${where}
        and num_nonnulls(${sql.join(columns.map(([column]) => sql.ref(column)))}) > 0`;
  return Number((await statement.execute(db)).numAffectedRows ?? 0);
}

/** SQL that erases a column. CASE has the type of the column, which the value alone would lack. */
function assignment([column, to]: [string, unknown]): RawBuilder<unknown> {
  const name = sql.ref(column);
  return to === null ? sql`${name} = null` : sql`${name} = case when ${name} is null then ${name} else ${to} end`;
}

/** Erases the recipients of orders in every table that has them, by the key of the order or of the package. */
export async function eraseRecipientColumns(trx: Db, orderIds: readonly string[], loggiKeys: readonly string[]) {
  for (const table of tableNames) {
    const names = personalData[table].kept.split(' ');
    const key = [
      { column: table === 'orders' ? 'id' : 'order_id', ids: orderIds },
      { column: 'loggi_key', ids: loggiKeys },
    ].find(({ column }) => names.includes(column));
    if (!key) continue;
    const { column, ids } = key;
    await eraseRows(
      trx,
      table,
      'recipient',
      sql`${sql.ref(column)} = any(${ids}::uuid[]) and ${inPartitionsOf(column, ids)}`,
    );
  }
}

/** Replaces each value in JSON by the erased value of its key. Null and unknown keys stay. */
export function erasedJson(value: unknown, keys: unknown): unknown {
  if (keys === kept || keys === undefined || value === null || value === undefined) return value;
  if (Array.isArray(value)) return value.map((item) => erasedJson(item, keys));
  if (!isFields(value) || !isFields(keys)) return keys;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, erasedJson(inner, keys[name])]));
}
