import type { InsertObject, InsertType } from 'kysely';
import type { Database } from './tables/database.js';

type Table = keyof Database;

/** The columns that the database sets when an insert leaves them out. */
type Defaulted<Name extends Table> = {
  [Column in keyof Database[Name]]: undefined extends InsertType<Database[Name][Column]> ? Column : never;
}[keyof Database[Name]];

type Values<Name extends Table> = Required<InsertObject<Database, Name>>;

/** Every column but those. Kysely alone lets a nullable column be left out, so that a forgotten one would compile. */
type NewRow<Name extends Table> = Omit<Values<Name>, Defaulted<Name>> & Partial<Values<Name>>;

/**
 * The types in SQL of a new row's columns, for statements that read rows from JSON. `Elsewhere` are those that the
 * statement sets by itself.
 */
export type SqlTypes<Name extends Table, Elsewhere extends keyof Database[Name] = never> = Readonly<
  Record<Exclude<keyof Database[Name], Defaulted<Name> | Elsewhere>, string> &
    Partial<Record<keyof Database[Name], string>>
>;

/** The values of an insert, complete: `insertInto('products').values(row<'products'>({ … }))`. */
export const row = <Name extends Table>(values: NewRow<Name>): NewRow<Name> => values;
