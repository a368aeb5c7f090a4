import {
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
  isScalarType,
} from 'graphql';
import { wordsOf } from '../operations.js';
import { docstring, type Field, header, indented, snakeCase, typedDict } from './source.js';

/**
 * Generates a method for each root field of the GraphQL contract. Each document selects all fields of its type, so
 * answers have the types of the contract. Callers who want fewer fields send their own document.
 */

/** Mutations that take an idempotency key. */
const KEYED = new Set(['createOrder']);
/** Left out, because the package logs in by itself. */
const LOGIN = 'login';
/** Fields that can be selected only below some root fields. The contract says so in words. */
const selectableBelow: Readonly<Record<string, readonly string[]>> = {
  'Package.trackingHistory': ['package', 'packageByTrackingCode'],
};

const scalars: Readonly<Record<string, string>> = {
  ID: 'str',
  String: 'str',
  Int: 'int',
  Float: 'float',
  Boolean: 'bool',
  DateTime: 'str',
  Date: 'str',
  Money: 'str',
};

const IMPORTS = `from __future__ import annotations

from collections.abc import Iterator

from . import graphql_types as types
from ._graphql import GraphQLBase
from ._rest import new_key

`;
type Root = GraphQLField<unknown, unknown>;

const rootFields = (type: GraphQLObjectType | null | undefined): Root[] =>
  Object.values(type?.getFields() ?? {}).filter(({ name }) => name !== LOGIN);

/** Generates a module with a method for each root field. */
export function graphqlModule(contract: string, schema: GraphQLSchema): string {
  const roots = [
    ...rootFields(schema.getQueryType()).map((field) => ({ kind: 'query', field })),
    ...rootFields(schema.getMutationType()).map((field) => ({ kind: 'mutation', field })),
  ];
  const documents = roots.map(({ kind, field }) => `${constant(field)} = """${document(kind, field)}"""\n\n`);
  const methods = roots.map(({ field }) => `\n${method(field)}`);
  const about =
    'The operations of GraphQL. Each answers all that its type has; `execute` sends a document of your own.';
  const text = `${docstring(about)}${methods.join('')}`;
  const source = `\nclass GraphQL(GraphQLBase):\n${indented(text)}`;
  return [header(contract, 'The operations of GraphQL.'), IMPORTS, ...documents, source].join('');
}

const constant = ({ name }: Root): string => wordsOf(name).join('_').toUpperCase();

/** The type of the node, if the field returns pages of a Relay connection. */
const nodeOf = ({ type }: Root): GraphQLNamedType | undefined => {
  const connection = getNamedType(type);
  const edges = isObjectType(connection) ? connection.getFields()['edges'] : undefined;
  const edge = edges && getNamedType(edges.type);
  return isObjectType(edge) ? (getNamedType(edge.getFields()['node']?.type) ?? undefined) : undefined;
};

function method(field: Root): string {
  const node = nodeOf(field);
  const name = snakeCase(wordsOf(field.name));
  const text = docstring(field.description ?? field.name);
  if (node) {
    const call = `return self._nodes(${constant(field)}, "${field.name}")\n`;
    return `def ${name}(self) -> Iterator[types.${node.name}]:\n${indented(text + call)}`;
  }
  const arguments_ = field.args.map(({ name: argument, type, defaultValue }) => {
    const usual = defaultValue === undefined ? '' : ` = ${literal(defaultValue)}`;
    return `${snakeCase(wordsOf(argument))}: ${typeOf(type, 'types.')}${usual}`;
  });
  const key = KEYED.has(field.name) ? ['*', 'idempotency_key: str | None = None'] : [];
  const values = field.args.map((argument) => `"${argument.name}": ${snakeCase(wordsOf(argument.name))}`);
  const sent = [constant(field), `{${values.join(', ')}}`];
  if (KEYED.has(field.name)) sent.push('idempotency_key=idempotency_key or new_key()');
  const answer = typeOf(field.type, 'types.');
  const signature = ['self', ...arguments_, ...key].join(', ');
  const lines = `answer: ${answer} = self.execute(${sent.join(', ')})["${field.name}"]\nreturn answer\n`;
  return `def ${name}(${signature}) -> ${answer}:\n${indented(text + lines)}`;
}

function document(kind: string, field: Root): string {
  const variables = field.args.map(({ name, type }) => `$${name}: ${type}`).join(', ');
  const values = field.args.map(({ name }) => `${name}: $${name}`).join(', ');
  const [declared, passed] = variables === '' ? ['', ''] : [`(${variables})`, `(${values})`];
  return `${kind} ${field.name}${declared} { ${field.name}${passed}${selection(field.type, field.name)} }`;
}

/** Selects all fields of a type, and of the types of those fields. */
function selection(type: GraphQLOutputType, root: string): string {
  const named = getNamedType(type);
  if (!isObjectType(named)) return '';
  const fields = Object.values(named.getFields()).filter(
    (field) =>
      !field.args.some(isRequiredArgument) && (selectableBelow[`${named.name}.${field.name}`] ?? [root]).includes(root),
  );
  return ` { ${fields.map((field) => field.name + selection(field.type, root)).join(' ')} }`;
}

/** Declares the types of the schema. Introspection types and root types are left out. */
export function graphqlTypes(schema: GraphQLSchema): string[] {
  const roots = [schema.getQueryType(), schema.getMutationType()];
  const types = Object.values(schema.getTypeMap()).filter(
    (type) => !type.name.startsWith('__') && !isScalarType(type) && !roots.some((root) => root === type),
  );
  return ordered(types).map(declaration);
}

/** Sorts types so that each comes after the types of its fields. */
function ordered(types: readonly GraphQLNamedType[]): GraphQLNamedType[] {
  const done = new Set<GraphQLNamedType>();
  const visit = (type: GraphQLNamedType, within: readonly GraphQLNamedType[]): void => {
    if (done.has(type) || isScalarType(type)) return;
    if (within.includes(type)) throw new Error(`${type.name} refers to itself`);
    const fields =
      isObjectType(type) || isInputObjectType(type)
        ? Object.values<{ type: GraphQLOutputType | GraphQLInputType }>(type.getFields())
        : [];
    for (const field of fields) visit(getNamedType(field.type), [...within, type]);
    done.add(type);
  };
  for (const type of types) visit(type, []);
  return [...done];
}

function declaration(type: GraphQLNamedType): string {
  const about = described(type);
  if (isEnumType(type)) {
    const values = type.getValues().map(({ name }) => `\`${name}\``);
    return `\n${type.name}: TypeAlias = str\n${docstring(`${type.description ?? ''} Known: ${values.join(', ')}.`)}`;
  }
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields());
    return typedDict(
      type.name,
      about,
      fields.map((field) => fieldOf(field, typeOf(field.type), !isRequiredInputField(field))),
    );
  }
  if (!isObjectType(type)) throw new Error(`no type of Python for ${type.name}`);
  const fields = Object.values(type.getFields());
  return typedDict(
    type.name,
    about,
    fields.map((field) => fieldOf(field, typeOf(field.type), `${type.name}.${field.name}` in selectableBelow)),
  );
}

const described = ({ description }: Pick<GraphQLNamedType, 'description'>): string =>
  description ? docstring(description) : '';

const fieldOf = (field: Pick<Root, 'name' | 'description'>, type: string, isOptional: boolean): Field => ({
  name: field.name,
  type: isOptional ? `NotRequired[${type}]` : type,
  about: described(field),
});

/** The Python type of a value. `prefix` is put before names of the schema's types. */
function typeOf(type: GraphQLOutputType | GraphQLInputType, prefix = ''): string {
  if (!isNonNullType(type)) return `${presentType(type, prefix)} | None`;
  return presentType(type.ofType, prefix);
}

function presentType(type: GraphQLOutputType | GraphQLInputType, prefix: string): string {
  if (isListType(type)) return `list[${typeOf(type.ofType, prefix)}]`;
  const { name } = getNamedType(type);
  return scalars[name] ?? `${prefix}${name}`;
}

/** Writes a default value of the schema in Python. */
const literal = (value: unknown): string =>
  typeof value === 'boolean' ? (value ? 'True' : 'False') : JSON.stringify(value);
