import ts from 'typescript';

type Compiled = { program: ts.Program; checker: ts.TypeChecker };

export function compile(files: readonly string[]): Compiled {
  const { config } = ts.readConfigFile('tsconfig.json', ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, '.');
  delete options.tsBuildInfoFile;
  const program = ts.createProgram(files, { ...options, incremental: false });
  return { program, checker: program.getTypeChecker() };
}

/** Kinds of a type's values at run time: `string`, `Date`, `Buffer`, `null`, …; undefined when unknown. */
export function kindsOf(checker: ts.TypeChecker, type: ts.Type): ReadonlySet<string> | undefined {
  const kinds = new Set<string>();
  for (const part of type.isUnion() ? type.types : [type]) {
    const kind = kindOf(checker, part);
    if (kind === undefined) return undefined;
    kinds.add(kind);
  }
  return kinds;
}

function kindOf(checker: ts.TypeChecker, type: ts.Type): string | undefined {
  const { flags } = type;
  if (flags & ts.TypeFlags.StringLike) return 'string';
  if (flags & ts.TypeFlags.NumberLike) return 'number';
  if (flags & ts.TypeFlags.BigIntLike) return 'bigint';
  if (flags & ts.TypeFlags.BooleanLike) return 'boolean';
  if (flags & ts.TypeFlags.Null) return 'null';
  if (flags & ts.TypeFlags.Undefined) return 'undefined';
  if (flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown | ts.TypeFlags.TypeParameter)) return undefined;
  if (checker.isArrayType(type) || checker.isTupleType(type)) return 'array';
  const name = type.getSymbol()?.getName();
  return name === 'Date' || name === 'Buffer' ? name : 'object';
}
