import type { InsertObject, InsertType } from 'kysely';
import type { Database } from './tables/database.js';

type Table = keyof Database;

/** Columns that the database fills if an insert leaves them out. */
type Defaulted<Name extends Table> = {
  [Column in keyof Database[Name]]: undefined extends InsertType<Database[Name][Column]> ? Column : never;
}[keyof Database[Name]];

type Values<Name extends Table> = Required<InsertObject<Database, Name>>;

/**
 * All columns except these. Kysely alone accepts an insert without a nullable column, so a forgotten column would
 * compile.
 */
type NewRow<Name extends Table> = Omit<Values<Name>, Defaulted<Name>> & Partial<Values<Name>>;

/**
 * SQL types of the columns of a new row, for statements that read rows from JSON. `Elsewhere` lists columns that the
 * statement sets itself.
 */
export type SqlTypes<Name extends Table, Elsewhere extends keyof Database[Name] = never> = Readonly<
  Record<Exclude<keyof Database[Name], Defaulted<Name> | Elsewhere>, string> &
    Partial<Record<keyof Database[Name], string>>
>;

/** Checks that an insert has all values: `insertInto('products').values(row<'products'>({ … }))`. */
export const row = <Name extends Table>(values: NewRow<Name>): NewRow<Name> => values;
