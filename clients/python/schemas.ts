import { docstring, type Field, literal, pascalCase, typedDict } from './source.js';

/**
 * Generates Python types of schemas. An object becomes a TypedDict: it costs nothing at run time, and keeps additional
 * fields of an answer. A value of an open list is a `str`, so that values added later fit, too.
 */

/** The keywords that are read from a JSON Schema, or from a schema in an OpenAPI document. */
export interface Schema {
  readonly $ref?: string;
  readonly title?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly description?: string;
  readonly nullable?: boolean;
  readonly enum?: readonly unknown[];
  readonly 'x-extensible-enum'?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly items?: Schema;
  readonly allOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
}

export type Schemas = Readonly<Record<string, Schema>>;

const scalars: Readonly<Record<string, string>> = {
  string: 'str',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  null: 'None',
};

const nameOf = (reference: string): string => reference.slice(reference.lastIndexOf('/') + 1);
const typesOf = ({ type }: Schema): readonly string[] => [type ?? []].flat();
const isNullable = (schema: Schema): boolean => schema.nullable === true || typesOf(schema).includes('null');
const isRecord = (schema: Schema): boolean =>
  schema.allOf !== undefined || (typesOf(schema)[0] === 'object' && schema.properties !== undefined);

/** Declares each schema under its name. */
export const schemaTypes = (schemas: Schemas): string[] =>
  ordered(named(schemas)).map(([name, schema]) => declaration(name, schema));

/** Moves nested objects out as schemas of their own, with names such as `PublicTrackingActionRequired`. */
function named(schemas: Schemas): Schemas {
  return Object.fromEntries(
    Object.entries(schemas).flatMap(([name, schema]) => {
      const inner = Object.entries(schema.properties ?? {}).filter(([, property]) => isRecord(property));
      const title = (property: string, { title: own }: Schema): string => own ?? name + pascalCase(property.split('_'));
      const references = inner.map(([property, record]): [string, Schema] => [
        property,
        { $ref: title(property, record), nullable: isNullable(record) },
      ]);
      const properties = { ...schema.properties, ...Object.fromEntries(references) };
      const own = inner.length > 0 ? { ...schema, properties } : schema;
      return [[name, own] as const, ...inner.map(([property, record]) => [title(property, record), record] as const)];
    }),
  );
}

/** Sorts schemas so that each comes after the schemas it refers to. */
function ordered(schemas: Schemas): [string, Schema][] {
  const done = new Map<string, Schema>();
  const visit = (name: string, within: readonly string[]): void => {
    const schema = schemas[name];
    if (schema === undefined) throw new Error(`there is no schema ${name}`);
    if (done.has(name)) return;
    if (within.includes(name)) throw new Error(`${name} refers to itself`);
    for (const reference of references(schema)) visit(reference, [...within, name]);
    done.set(name, schema);
  };
  for (const name of Object.keys(schemas)) visit(name, []);
  return [...done];
}

function references(node: unknown): string[] {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([key, value]) =>
    key === '$ref' && typeof value === 'string' ? [nameOf(value)] : references(value),
  );
}

/** The Python type of a value. Throws for a kind of schema that the contracts do not have yet. */
export function typeOf(schema: Schema): string {
  return isNullable(schema) ? `${plainType(schema)} | None` : plainType(schema);
}

function plainType(schema: Schema): string {
  if (schema.$ref !== undefined) return nameOf(schema.$ref);
  if (schema.oneOf !== undefined) return schema.oneOf.map(typeOf).join(' | ');
  if (schema.enum !== undefined) return literal(schema.enum);
  if (schema.type === 'array' && schema.items !== undefined) return `list[${typeOf(schema.items)}]`;
  if (schema.type === 'object' && typeof schema.additionalProperties === 'object')
    return `dict[str, ${typeOf(schema.additionalProperties)}]`;
  if (schema.format === 'binary') return 'bytes';
  const scalar = scalars[typesOf(schema)[0] ?? ''];
  if (scalar === undefined) throw new Error(`no type of Python for ${JSON.stringify(schema)}`);
  return scalar;
}

function declaration(name: string, schema: Schema): string {
  if (!isRecord(schema)) return `\n${name}: TypeAlias = ${typeOf(schema)}\n${described(schema)}`;
  const bases = (schema.allOf ?? []).flatMap(({ $ref }) => ($ref === undefined ? [] : [nameOf($ref)]));
  const own = [schema, ...(schema.allOf ?? [])].flatMap(fieldsOf);
  return typedDict(name, described(schema), own, bases);
}

function fieldsOf({ properties = {}, required = [] }: Schema): Field[] {
  return Object.entries(properties).map(([name, schema]) => {
    const type = typeOf(schema);
    return { name, type: required.includes(name) ? type : `NotRequired[${type}]`, about: described(schema) };
  });
}

/** The docstring of a schema: its description, and the known values of an open list. */
function described(schema: Schema): string {
  const values = schema['x-extensible-enum']?.map((value) => `\`${value}\``).join(', ');
  const text = [schema.description?.trim(), values && `Known: ${values}.`].filter(Boolean).join(' ');
  return text === '' ? '' : docstring(text);
}
