/** Writes Python source text. */

const KEYWORDS = new Set(
  (
    'False None True and as assert async await break class continue def del elif else except finally for from global if import in ' +
    'is lambda nonlocal not or pass raise return try while with yield'
  ).split(' '),
);

/** True if a text can be the name of a field or method without change. */
export const isName = (text: string): boolean => /^[A-Za-z_]\w*$/.test(text) && !KEYWORDS.has(text);

export const snakeCase = (words: readonly string[]): string => words.join('_');
export const pascalCase = (words: readonly string[]): string =>
  words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');

export const indented = (text: string): string => text.replaceAll(/^(?=.)/gm, '    ');

/** Makes a docstring of a text of the contract. */
export function docstring(text: string): string {
  const lines = text.trim().replaceAll('\\', '\\\\').replaceAll('"""', '\\"\\"\\"').replace(/"$/, '\\"');
  return lines.includes('\n') ? `"""${lines}\n"""\n` : `"""${lines}"""\n`;
}

/** The Python type that allows each of the values. */
export const literal = (values: readonly unknown[]): string =>
  `Literal[${values.map((value) => (typeof value === 'boolean' ? pascalCase([String(value)]) : JSON.stringify(value))).join(', ')}]`;

/** Writes the first lines of a module. */
export const header = (contract: string, about: string): string =>
  `# Generated from ${contract}; do not edit.\n${docstring(about)}\n`;

/** Imports for Python 3.10, whose `TypedDict` does not know `NotRequired`. */
const PARTIAL = `
if sys.version_info >= (3, 11):
    from typing import NotRequired, TypedDict
else:
    from typing_extensions import NotRequired, TypedDict
`;

/** Makes a module of type declarations. Each declaration starts with its own empty lines. */
export function typesModule(contract: string, about: string, declarations: readonly string[]): string {
  const body = declarations.join('');
  const isPartial = body.includes('NotRequired[');
  const names = ['Literal', 'TypeAlias', ...(isPartial ? [] : ['TypedDict'])].filter((name) => body.includes(name));
  const imports = names.length > 0 ? `from typing import ${names.join(', ')}\n` : '';
  return [header(contract, about), isPartial ? 'import sys\n' : '', imports, isPartial ? PARTIAL : '', body].join('');
}

/** A field of a TypedDict. */
export interface Field {
  readonly name: string;
  readonly type: string;
  /** The docstring; empty text for no docstring. */
  readonly about: string;
}

export function typedDict(
  name: string,
  about: string,
  fields: readonly Field[],
  bases: readonly string[] = [],
): string {
  if (!fields.every((field) => isName(field.name))) return functional(name, fields, bases) + about;
  const lines = fields.map((field) => `${field.name}: ${field.type}\n${field.about}`);
  // A class that only gives another one a name of its own needs a body, too.
  if (about === '' && lines.length === 0) lines.push('pass\n');
  return `\n\nclass ${name}(${bases.join(', ') || 'TypedDict'}):\n${indented([about, about && '\n', ...lines].join(''))}`;
}

/** Declares a TypedDict in functional form, which allows field names such as `from`. */
function functional(name: string, fields: readonly Field[], bases: readonly string[]): string {
  if (bases.length > 0) throw new Error(`${name}: a type with bases cannot have such names`);
  const entries = fields.map(({ name: field, type }) => `        ${JSON.stringify(field)}: ${JSON.stringify(type)},\n`);
  return `\n\n${name} = TypedDict(\n    ${JSON.stringify(name)},\n    {\n${entries.join('')}    },\n)\n`;
}
