import type { RawBuilder, Selectable } from 'kysely';
import type { Database } from './database.js';

/** Types of the table of personal data: an unnamed column, or a value of another type, does not compile. */

/** Events that erase: the deletion of an endpoint or an account, the erasure of an account or an order's recipients. */
export type Occasion = 'endpoint' | 'deletion' | 'account' | 'recipient';

export type TableName = keyof Database;
type Row<Table extends TableName> = Selectable<Database[Table]>;

export const rowGone = Symbol('the row is deleted');
/** A function of its own writes the value anew: it is sealed. */
export const rewritten = Symbol('the value is written anew');
export const kept = Symbol('kept');

/** JSON by its keys: each is kept or gets a value. Lists have the keys of their items; a map of any keys is kept. */
export type JsonKeys<Value> = Value extends readonly (infer Item)[]
  ? JsonKeys<Item>
  : Value extends object
    ? string extends keyof Value
      ? typeof kept
      : { readonly [Key in keyof Value]-?: JsonKeys<NonNullable<Value[Key]>> }
    : typeof kept | Value;

type Scalar = string | number | boolean | Date | Uint8Array | null | readonly (string | Uint8Array)[];
type JsonColumn<R> = { [Column in keyof R]: R[Column] extends Scalar ? never : Column }[keyof R];

/** The value that a column gets in place of its own; null stays null. */
export type Replacement<Value> = Value | RawBuilder<Value> | typeof rowGone | typeof rewritten;

type Classes<R> = {
  /** Names of columns, with blanks between them. */
  readonly kept: string;
  readonly json?: { readonly [Column in JsonColumn<R>]?: JsonKeys<NonNullable<R[Column]>> };
} & { readonly [On in Occasion]?: { readonly [Column in keyof R]?: Replacement<R[Column]> } };

type Words<Text> = Text extends `${infer Word} ${infer Others}` ? Word | Words<Others> : Text;
type KeptIn<C> = C extends { readonly kept: infer Kept } ? Words<Kept> : never;
type Keys<Part> = Part extends object ? keyof Part : never;
type Columns<C> = KeptIn<C> | Keys<C[keyof C]>;

/** Columns that are not classified, JSON that is not by its keys, and names of no column. */
type Wrong<R, C> = Exclude<keyof R, Columns<C>> | Extract<KeptIn<C>, JsonColumn<R>> | Exclude<KeptIn<C>, keyof R>;

export type AllClasses = { readonly [Table in TableName]: Classes<Row<Table>> & { wrong?: never } };

/** The classes of a table's columns; columns that are `wrong` do not fit `AllClasses`. */
export const classesOf = <Table extends TableName, const C extends Classes<Row<Table>>>(
  _table: Table,
  classes: C,
): C & { wrong?: Wrong<Row<Table>, C> } => classes;
