import { readFile } from 'node:fs/promises';
import ts from 'typescript';
import type { Observation } from './observed-rows.js';
import { compile, kindsOf } from './typescript.js';

const EXECUTE = new Set(['execute', 'executeTakeFirst', 'executeTakeFirstOrThrow']);
/** Their `execute` runs a function. */
const BUILDERS = new Set(['TransactionBuilder', 'ConnectionBuilder']);

/** A call that executes a statement, and the type of a row. */
type Call = { site: string; row: ts.Type };

interface RowReport {
  /** Values that a column's type does not allow, columns that the type does not name, and those that are missing. */
  wrong: string[];
  /** Statements that returned no row in any test. */
  unobserved: string[];
}

/** Holds the rows that were observed against the types that src/ gives to the results of its statements. */
export async function compareRows(file: string): Promise<RowReport> {
  const observed = await observedIn(file);
  const files = ts.sys.readDirectory('src', ['.ts']).filter((path) => !path.includes('/migrations/'));
  const { program, checker } = compile(files);
  const calls = files.flatMap((path) => callsIn(program.getSourceFile(path), path, checker));
  return {
    wrong: calls.flatMap(({ site, row }) => {
      const values = observed.get(site);
      return values ? differences(checker, row, values).map((difference) => `${site}: ${difference}`) : [];
    }),
    unobserved: calls.map(({ site }) => site).filter((site) => !observed.has(site)),
  };
}

/** Kinds by path. */
type Values = ReadonlyMap<string, ReadonlySet<string>>;

async function observedIn(file: string): Promise<ReadonlyMap<string, Values>> {
  const sites = new Map<string, Map<string, Set<string>>>();
  for (const line of (await readFile(file, 'utf8')).split('\n').filter(Boolean)) {
    const { site, path, kind }: Observation = JSON.parse(line);
    const values = sites.get(site) ?? new Map<string, Set<string>>();
    sites.set(site, values.set(path, (values.get(path) ?? new Set<string>()).add(kind)));
  }
  return sites;
}

function callsIn(source: ts.SourceFile | undefined, path: string, checker: ts.TypeChecker): Call[] {
  const calls: Call[] = [];
  const visit = (node: ts.Node): void => {
    if (source && ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const { name } = node.expression;
      const isStatement =
        EXECUTE.has(name.text) && !runsFunction(checker.getTypeAtLocation(node.expression.expression));
      const row = isStatement ? rowOf(checker, checker.getTypeAtLocation(node)) : undefined;
      const { line } = source.getLineAndCharacterOfPosition(name.getStart());
      if (row) calls.push({ site: `${path}:${line + 1}`, row });
    }
    ts.forEachChild(node, visit);
  };
  if (source) visit(source);
  return calls;
}

const runsFunction = (type: ts.Type): boolean => BUILDERS.has(type.getSymbol()?.getName() ?? '');

/** The type of a row; undefined where no rows are expected, or their columns are not known. */
function rowOf(checker: ts.TypeChecker, promise: ts.Type): ts.Type | undefined {
  const result = checker.getAwaitedType(promise);
  const settled = result && checker.getNonNullableType(result);
  const rows = settled?.getProperty('rows');
  const list = rows ? checker.getTypeOfSymbol(rows) : settled;
  const row = list && (elementOf(checker, list) ?? list);
  const columns = row ? checker.getPropertiesOfType(row).map((column) => column.getName()) : [];
  const isCount = columns.some((name) => /^num(Inserted|Updated|Deleted|Affected|Changed)/.test(name));
  return columns.length === 0 || isCount ? undefined : row;
}

function elementOf(checker: ts.TypeChecker, list: ts.Type): ts.Type | undefined {
  return checker.isArrayType(list) ? checker.getIndexTypeOfType(list, ts.IndexKind.Number) : undefined;
}

function differences(checker: ts.TypeChecker, type: ts.Type, values: Values, path = ''): string[] {
  const allowed = kindsOf(checker, type);
  const kinds = [...(values.get(path) ?? [])];
  if (!allowed) return [];
  const wrong = kinds.filter((kind) => !allowed.has(kind));
  if (wrong.length > 0) return [`${path} held ${wrong.join(' and ')}, its type is ${[...allowed].join(' | ')}`];
  const inner = checker.getNonNullableType(type);
  const element = elementOf(checker, inner);
  if (element) return differences(checker, element, values, `${path}[]`);
  return kinds.includes('object') && !inner.isUnion() ? fieldDifferences(checker, inner, values, path) : [];
}

function fieldDifferences(checker: ts.TypeChecker, type: ts.Type, values: Values, path: string): string[] {
  if (checker.getIndexTypeOfType(type, ts.IndexKind.String)) return [];
  const fields = checker.getPropertiesOfType(type);
  const names = new Set(fields.map((field) => `${path}.${field.getName()}`));
  const isField = (other: string) => other.startsWith(`${path}.`) && !/[.[]/.test(other.slice(path.length + 1));
  const extra = [...values.keys()].filter((other) => isField(other) && !names.has(other));
  return [
    ...extra.map((other) => `${other} is returned, but its type does not name it`),
    ...fields.flatMap((field) => {
      const name = `${path}.${field.getName()}`;
      const fieldType = checker.getTypeOfSymbol(field);
      if (values.has(name)) return differences(checker, fieldType, values, name);
      return kindsOf(checker, fieldType)?.has('undefined') ? [] : [`${name} is not returned`];
    }),
  ];
}
