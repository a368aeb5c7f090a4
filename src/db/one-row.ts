import { type RawBuilder, sql } from 'kysely';
import type { Db } from './connect.js';

/** The row of a statement that always has one. */
export async function oneRow<Row>(db: Db, statement: RawBuilder<Row>): Promise<Row> {
  const { rows } = await statement.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error('the database answered nothing');
  return row;
}

/** The rows of a statement whose columns are known only to its caller. */
export const allRows = async <Row>(db: Db, statement: RawBuilder<Row>): Promise<Row[]> =>
  (await statement.execute(db)).rows;

/** The value of an expression of SQL. */
export const scalar = async <T>(db: Db, expression: RawBuilder<T>): Promise<T> =>
  (await oneRow(db, sql<{ value: T }>`select ${expression} as value`)).value;
