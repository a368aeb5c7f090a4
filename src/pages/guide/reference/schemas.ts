import { type Fields, isFields } from '../../../base/values.js';
import { slugOf } from '../markdown.js';

/** JSON schemas, of OpenAPI 3.0 and of draft 7, in words. */

export const fieldsOf = (value: unknown): Fields => (isFields(value) ? value : {});

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

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

/** The file that describes a schema; empty for the one that refers to it. */
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

/** The type of a value; `fileOf` finds the schemas that it refers to. */
export function typeOf(schema: Fields, fileOf = sameFile): string {
  if ('$ref' in schema) return linkTo(nameIn(schema['$ref']), fileOf);
  const choices = listOf(schema['oneOf']).map((each) => typeOf(fieldsOf(each), fileOf));
  if (choices.length > 0) return choices.join(' or ');
  const kind = kindOf(schema, fileOf);
  const limits = limitsOf(schema);
  return [kind, ...limits].join(', ') + (schema['nullable'] === true ? ', or `null`' : '');
}

function kindOf(schema: Fields, fileOf: FileOf): string {
  const { type, format, enum: values, items } = schema;
  const known = listOf(schema['x-extensible-enum']);
  if (known.length > 0) return `${known.map(code).join(', ')}; more may come`;
  if (values !== undefined) return listOf(values).map(code).join(', ');
  if (type === 'array') return `list of ${typeOf(fieldsOf(items), fileOf)}`;
  if (type === 'null') return '`null`';
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

function rangeOf(least: unknown, most: unknown, unit: string, before = ''): string[] {
  if (most === undefined) return least === undefined ? [] : [`at least ${least}${unit}`];
  if (least === undefined) return [`at most ${most}${unit}`];
  return [least === most ? `${most}${unit}` : `${before}${least} to ${most}${unit}`];
}

/** A named schema with its fields, below a heading of its name. `resolve` follows references. */
export function schemaSection(
  name: string,
  schema: Fields,
  resolve: (value: unknown) => Fields,
  fileOf = sameFile,
): string {
  const parts = [schema, ...listOf(schema['allOf']).map(fieldsOf)];
  const bases = parts.flatMap((part) => ('$ref' in part ? typeOf(part, fileOf) : []));
  const required = new Set(parts.flatMap((part) => listOf(part['required'])));
  const fields = parts.flatMap((part) => Object.entries(fieldsOf(part['properties'])));
  const properties = fields.map(([field, value]) => {
    const own = fieldsOf(value);
    const since = own['x-since'] === undefined ? '' : ` Since ${own['x-since']}.`;
    const says = String(own['description'] ?? resolve(own)['description'] ?? '').trim();
    return row(code(field), required.has(field) ? 'yes' : '', typeOf(own, fileOf), `${says}${since}`);
  });
  const description = String(schema['description'] ?? '').trim();
  const isObject = properties.length > 0;
  return [
    `## ${name}`,
    ...(description === '' ? [] : [description]),
    ...(bases.length > 0 ? [`The fields of ${bases.join(' and ')}, and:`] : []),
    ...(isObject ? table(['field', 'required', 'type', 'is'], properties) : [`Type: ${typeOf(schema, fileOf)}.`]),
    ...('example' in schema ? [`Example: ${code(JSON.stringify(schema['example']))}.`] : []),
  ].join('\n\n');
}
