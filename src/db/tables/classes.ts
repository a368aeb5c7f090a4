import type { RawBuilder, Selectable } from 'kysely';
import type { Database } from './database.js';

/** Types of the table of personal data. A forgotten column, or a value of a wrong type, does not compile. */

/** Events that erase: the deletion of an endpoint or an account, the erasure of an account or an order's recipients. */
export type Occasion = 'endpoint' | 'deletion' | 'account' | 'recipient';

export type TableName = keyof Database;
type Row<Table extends TableName> = Selectable<Database[Table]>;

export const rowGone = Symbol('the row is deleted');
/** The value is sealed, so a function of its own replaces it. */
export const rewritten = Symbol('the value is written anew');
export const kept = Symbol('kept');

/**
 * Classes of JSON by key: each key is kept or gets a value. A list has the keys of its items. A map with any keys is
 * kept.
 */
export type JsonKeys<Value> = Value extends readonly (infer Item)[]
  ? JsonKeys<Item>
  : Value extends object
    ? string extends keyof Value
      ? typeof kept
      : { readonly [Key in keyof Value]-?: JsonKeys<NonNullable<Value[Key]>> }
    : typeof kept | Value;

type Scalar = string | number | boolean | Date | Uint8Array | null | readonly (string | Uint8Array)[];
type JsonColumn<R> = { [Column in keyof R]: R[Column] extends Scalar ? never : Column }[keyof R];

/** The value that replaces a column's value. Null stays null. */
export type Replacement<Value> = Value | RawBuilder<Value> | typeof rowGone | typeof rewritten;

type Classes<R> = {
  /** Names of columns, separated by spaces. */
  readonly kept: string;
  readonly json?: { readonly [Column in JsonColumn<R>]?: JsonKeys<NonNullable<R[Column]>> };
} & { readonly [On in Occasion]?: { readonly [Column in keyof R]?: Replacement<R[Column]> } };

type Words<Text> = Text extends `${infer Word} ${infer Others}` ? Word | Words<Others> : Text;
type KeptIn<C> = C extends { readonly kept: infer Kept } ? Words<Kept> : never;
type Keys<Part> = Part extends object ? keyof Part : never;
type Columns<C> = KeptIn<C> | Keys<C[keyof C]>;

/** Columns without a class, JSON without classes by key, and names that are not columns. */
type Wrong<R, C> = Exclude<keyof R, Columns<C>> | Extract<KeptIn<C>, JsonColumn<R>> | Exclude<KeptIn<C>, keyof R>;

export type AllClasses = { readonly [Table in TableName]: Classes<Row<Table>> & { wrong?: never } };

/** The classes of a table's columns. If any column is `wrong`, they do not fit `AllClasses`. */
export const classesOf = <Table extends TableName, const C extends Classes<Row<Table>>>(
  _table: Table,
  classes: C,
): C & { wrong?: Wrong<Row<Table>, C> } => classes;
