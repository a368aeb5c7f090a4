import type { ColumnType } from 'kysely';

/** Types of columns that several tables have. */

export type Time = ColumnType<Date, Date | string, Date | string>;
/** A timestamp that the database sets by default. */
export type Stamp = ColumnType<Date, Date | string | undefined, Date | string>;
/** A timestamp that may be missing. */
export type MaybeStamp = ColumnType<Date | null, Date | string | undefined, Date | string | null>;
/** A BIGINT: the driver reads it as text. */
export type Big = ColumnType<string, number | bigint, number | bigint>;

export type Role = 'operator' | 'customer';
