import { type ColumnType, type Selectable, sql } from 'kysely';

export type Time = ColumnType<Date, Date | string, Date | string>;
/** A timestamp that the database sets by default. */
export type Stamp = ColumnType<Date, Date | string | undefined, Date | string>;
export type MaybeStamp = ColumnType<Date | null, Date | string | undefined, Date | string | null>;
/** A BIGINT. The driver reads it as text. */
export type Big = ColumnType<string, number | bigint, number | bigint>;

/** A row in JSON: times are texts. */
export type JsonRow<Table> = { [Column in keyof Selectable<Table>]: InJson<Selectable<Table>[Column]> };
type InJson<Value> = Value extends Date ? string : Value;

/** Writes `a, b` or, with the table `p`, `p.a, p.b`. */
export const namesOf = (columns: readonly string[], table?: string): string =>
  columns.map((name) => (table === undefined ? name : `${table}.${name}`)).join(', ');

/** Writes `a text, b smallint`, the column definitions for json_to_recordset. */
export const definitionOf = (columns: Readonly<Record<string, string>>): string =>
  Object.entries(columns)
    .map(([name, type]) => `${name} ${type}`)
    .join(', ');

/** Columns that every change of a versioned record sets. */
export const nextVersion = { version: sql<number>`version + 1`, updated_at: sql<Date>`now()` };

/** The media type of a stored picture. */
export type MediaType = 'image/jpeg' | 'image/png' | 'image/webp';
