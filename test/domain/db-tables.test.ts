import { beforeAll, describe, expect, test } from '@jest/globals';
import ts from 'typescript';
import { row } from '../../src/db/row.js';
import { type Column, columnsOf } from '../support/catalogue.js';
import { createDatabase } from '../support/database.js';
import { compile, kindsOf } from '../support/jest/typescript.js';

// Compares the types of src/db/tables/database.ts with the database that the migrations make: columns, types,
// nullability and defaults.

const { program, checker } = compile(['src/db/tables/database.ts']);

interface Typed {
  selected: ReadonlySet<string> | undefined;
  inserted: ReadonlySet<string> | undefined;
}

const declared = tablesOf('src/db/tables/database.ts', 'Database');
let columns: Column[] = [];

beforeAll(async () => {
  const database = await createDatabase();
  columns = await columnsOf(database.db);
  await database.drop();
});

/** The TypeScript type that the driver gives to values of a PostgreSQL type. */
const kinds: Readonly<Record<string, string>> = {
  bigint: 'string',
  boolean: 'boolean',
  bytea: 'Buffer',
  date: 'string',
  'double precision': 'number',
  integer: 'number',
  jsonb: 'object',
  smallint: 'number',
  text: 'string',
  'timestamp with time zone': 'Date',
  uuid: 'string',
  xid8: 'string',
  pg_snapshot: 'string',
};

function kindOf({ type }: Column): string | undefined {
  return type.endsWith('[]') ? 'array' : kinds[type.replace(/\(\d\)/, '')];
}

function tablesOf(file: string, name: string): Map<string, Map<string, Typed>> {
  const source = program.getSourceFile(file);
  const statement = source?.statements.find((node) => ts.isInterfaceDeclaration(node) && node.name.text === name);
  if (!statement) throw new Error(`${file} declares no ${name}`);
  return new Map(propertiesOf(checker.getTypeAtLocation(statement)).map(([table, type]) => [table, rowOf(type)]));
}

function rowOf(table: ts.Type): Map<string, Typed> {
  return new Map(
    propertiesOf(table).map(([column, type]) => [
      column,
      { selected: part(type, '__select__'), inserted: part(type, '__insert__') },
    ]),
  );
}

/** The type of a column for select or insert, if the two differ. JSON counts as an object here. */
function part(type: ts.Type, name: '__select__' | '__insert__'): ReadonlySet<string> | undefined {
  const nullable = type.isUnion() && type.types.some((one) => one.flags & ts.TypeFlags.Null);
  const [column = type] = type.isUnion() ? type.types.filter((one) => one.getProperty(name)) : [type];
  const property = column.getProperty(name);
  if (!property) return kindsOf(checker, type);
  const of = kindsOf(checker, checker.getTypeOfSymbol(property));
  return of && nullable ? new Set([...of, 'null']) : of;
}

function propertiesOf(type: ts.Type): [string, ts.Type][] {
  return checker.getPropertiesOfType(type).map((symbol) => [symbol.getName(), checker.getTypeOfSymbol(symbol)]);
}

test('the file has a type for every table, and no other', () => {
  expect([...declared.keys()].sort()).toEqual([...new Set(columns.map(({ table }) => table))].sort());
});

describe.each([...declared.keys()])('%s', (table) => {
  const row = declared.get(table);
  const its = () => columns.filter((column) => column.table === table);

  test('has the declared columns', () => {
    expect([...(row?.keys() ?? [])].sort()).toEqual(
      its()
        .map(({ name }) => name)
        .sort(),
    );
  });

  test('reads each column in the type of the driver, and as null where it may be null', () => {
    const readAs = its().map((column) => [column.name, kindOf(column), column.nullable]);
    const typed = its().map(({ name }) => {
      const selected = [...(row?.get(name)?.selected ?? [])];
      const values = selected.filter((kind) => kind !== 'null');
      return [
        name,
        values.map((kind) => (kind === 'array' && !isArray(table, name) ? 'object' : kind)).join(),
        selected.includes('null'),
      ];
    });
    expect(typed).toEqual(readAs);
  });

  test('lets an insert leave out only columns that the database fills', () => {
    const optional = [...(row ?? [])].filter(([, { inserted }]) => inserted?.has('undefined')).map(([name]) => name);
    const filled = its()
      .filter(({ nullable, value }) => nullable || value !== null)
      .map(({ name }) => name);
    expect(optional.filter((name) => !filled.includes(name))).toEqual([]);
  });
});

/** JSON may also hold an array. The database does not tell which. */
function isArray(table: string, name: string): boolean {
  return columns.some((column) => column.table === table && column.name === name && column.type.endsWith('[]'));
}

// The compiler checks these: `npm run typecheck` fails if an expected error is missing.
const product = { id: '', account_id: '', sku: '', name: '', description: '', price_centavos: 1 };
const size = { width: 1, height: 1, length: 1, weight: 1 };
const complete = row<'products'>({ ...product, ...size });
// @ts-expect-error a column that must not be null is missing
row<'products'>({ ...product, width: 1, height: 1, length: 1 });
const change = {
  id: '',
  loggi_key: '',
  order_id: '',
  account_id: '',
  changed_by: '',
  from_address: '',
  to_address: '',
};
// @ts-expect-error columns that may be null are missing: Kysely alone would store null
row<'address_changes'>(change);
// @ts-expect-error the table has no such column
row<'sealing_keys'>({ id: '', other: '' });

test('a new row names every column that the database does not set', () => {
  expect(complete).toEqual({ ...product, ...size });
});
