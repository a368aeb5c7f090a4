import { type RawBuilder, sql } from 'kysely';
import type { Db } from './connect.js';

/** Runs a statement that always has one row, and returns the row. */
export async function oneRow<Row>(db: Db, statement: RawBuilder<Row>): Promise<Row> {
  const { rows } = await statement.execute(db);
  const [row] = rows;
  if (row === undefined) throw new Error('the database answered nothing');
  return row;
}

/** Runs a statement whose columns only its caller knows, and returns the rows. */
export const allRows = async <Row>(db: Db, statement: RawBuilder<Row>): Promise<Row[]> =>
  (await statement.execute(db)).rows;

/** Returns the value of an SQL expression. */
export const scalar = async <T>(db: Db, expression: RawBuilder<T>): Promise<T> =>
  (await oneRow(db, sql<{ value: T }>`select ${expression} as value`)).value;
