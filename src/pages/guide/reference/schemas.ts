import { type Fields, fieldsOf, listOf } from '../../../base/values.js';
import { slugOf } from '../markdown.js';

/** Describes JSON schemas (of OpenAPI 3.0 and draft 7) in words. */

const cell = (text: unknown): string =>
  String(text ?? '')
    .trim()
    .replaceAll(/\s*\n\s*/g, ' ')
    .replaceAll('|', '\\|');

export const row = (...cells: unknown[]): string => `| ${cells.map(cell).join(' | ')} |`;

export const table = (head: readonly string[], rows: readonly string[]): string[] =>
  rows.length === 0 ? [] : [[row(...head), row(...head.map(() => '---')), ...rows].join('\n')];

export const json = (value: unknown): string => `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;

const code = (value: unknown): string => `\`${value}\``;

/** The file that describes a schema. Empty for the same file. */
export type FileOf = (name: string) => string;

const sameFile: FileOf = () => '';

export const linkTo = (name: string, fileOf = sameFile): string => `[${name}](${fileOf(name)}#${slugOf(name)})`;

const nameIn = (reference: unknown): string => String(reference).replace(/^.*\//, '');

const formats: Readonly<Record<string, string>> = {
  'date-time': 'time (RFC 3339)',
  date: 'date (YYYY-MM-DD)',
  email: 'e-mail address',
  uuid: 'UUID',
  binary: 'bytes',
};

/** Describes the type of a value. `fileOf` returns the file for each schema that the type refers to. */
export function typeOf(schema: Fields, fileOf = sameFile): string {
  if ('$ref' in schema) return linkTo(nameIn(schema['$ref']), fileOf);
  const choices = listOf(schema['oneOf']).map((each) => typeOf(fieldsOf(each), fileOf));
  if (choices.length > 0) return choices.join(' or ');
  const kind = kindOf(schema, fileOf);
  const limits = limitsOf(schema);
  const isNullable = schema['nullable'] === true || listOf(schema['type']).includes('null');
  return [kind, ...limits].join(', ') + (isNullable ? ', or `null`' : '');
}

function kindOf(schema: Fields, fileOf: FileOf): string {
  const { format, enum: values, items } = schema;
  const [type] = [schema['type']].flat();
  const known = listOf(schema['x-extensible-enum']);
  if (known.length > 0) return `${known.map(code).join(', ')}; more may come`;
  if (values !== undefined) return listOf(values).map(code).join(', ');
  if (type === 'array') return `list of ${typeOf(fieldsOf(items), fileOf)}`;
  if (type === 'object') return 'object';
  return formats[String(format)] ?? (type === 'string' ? 'text' : String(type));
}

function limitsOf(schema: Fields): string[] {
  const { minimum, maximum, exclusiveMinimum, minLength, maxLength, minItems, maxItems, pattern } = schema;
  const isChosen = 'enum' in schema || 'x-extensible-enum' in schema || String(schema['format']) in formats;
  const least = exclusiveMinimum === true ? 'more than ' : '';
  return [
    ...rangeOf(minimum, maximum, '', least),
    ...(isChosen ? [] : rangeOf(minLength, maxLength, ' characters')),
    ...rangeOf(minItems, maxItems, ' entries'),
    ...(pattern === undefined ? [] : [String(schema['x-pattern-says'] ?? `as ${code(pattern)}`)]),
    ...('default' in schema ? [`${code(schema['default'])} when left out`] : []),
  ];
}

function rangeOf(least: unknown, max: unknown, unit: string, before = ''): string[] {
  if (max === undefined) return least === undefined ? [] : [`at least ${least}${unit}`];
  if (least === undefined) return [`at most ${max}${unit}`];
  return [least === max ? `${max}${unit}` : `${before}${least} to ${max}${unit}`];
}

/** Returns the target of a reference. */
type Resolve = (value: unknown) => Fields;

/** The schema, together with the schemas of its `allOf`. */
const partsOf = (schema: Fields): Fields[] => [schema, ...listOf(schema['allOf']).map(fieldsOf)];

/** Makes a row per field of an object. Rows for the fields of a nested object follow its own row. */
function fieldRows(schema: Fields, resolve: Resolve, fileOf: FileOf, place = ''): string[] {
  const required = new Set(partsOf(schema).flatMap((part) => listOf(part['required'])));
  const fields = partsOf(schema).flatMap((part) => Object.entries(fieldsOf(part['properties'])));
  return fields.flatMap(([name, value]) => {
    const own = fieldsOf(value);
    const since = own['x-since'] === undefined ? '' : ` Since ${own['x-since']}.`;
    const says = String(own['description'] ?? resolve(own)['description'] ?? '').trim();
    const field = row(code(place + name), required.has(name) ? 'yes' : '', typeOf(own, fileOf), `${says}${since}`);
    return [field, ...fieldRows(own, resolve, fileOf, `${place}${name}.`)];
  });
}

/** Describes a named schema: a heading with its name, and its fields. */
export function schemaSection(name: string, schema: Fields, resolve: Resolve, fileOf = sameFile): string {
  const bases = partsOf(schema).flatMap((part) => ('$ref' in part ? typeOf(part, fileOf) : []));
  const rows = fieldRows(schema, resolve, fileOf);
  const description = String(schema['description'] ?? '').trim();
  return [
    `## ${name}`,
    ...(description === '' ? [] : [description]),
    ...(bases.length > 0 ? [`The fields of ${bases.join(' and ')}, and:`] : []),
    ...(rows.length > 0 ? table(['field', 'required', 'type', 'is'], rows) : [`Type: ${typeOf(schema, fileOf)}.`]),
    ...('example' in schema ? [`Example: ${code(JSON.stringify(schema['example']))}.`] : []),
  ].join('\n\n');
}
