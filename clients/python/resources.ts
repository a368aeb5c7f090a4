import { type Document, type Operation, operationsOf, resolve, wordsOf } from '../operations.js';
import { type Schema, typeOf } from './schemas.js';
import { docstring, header, indented, isName, literal, pascalCase, snakeCase } from './source.js';

/** Generates the operations of a contract as methods, with a class for each tag. */

const IMPORTS = `from __future__ import annotations

from datetime import datetime
from typing import Literal

from . import TYPES as types
from ._answers import File
from ._rest import Account, Resource, new_key
from .listing import Listing, changing
`;

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly schema: Schema;
}

/** An operation with its Python types. */
interface Method extends Operation {
  readonly parameters: readonly Parameter[];
  /**
   * The types of the body and of the answer; for a list, the type of its records. Undefined for an empty body,
   * and for one that is not JSON.
   */
  readonly body: string | undefined;
  readonly answer: string | undefined;
}

/** The module of a contract, and the class that holds its resources. */
export interface Module {
  readonly contract: string;
  readonly about: string;
  readonly types: string;
  readonly root: string;
}

export function resourcesModule(document: Document, { contract, about, types, root }: Module): string {
  const methods = operationsOf(document).map((operation) => methodOf(document, operation));
  const tags = [...new Set(methods.map(({ tag }) => tag))];
  const classes = tags.map((tag) => {
    const own = methods.filter((method) => method.tag === tag).map(source);
    const text = `${docstring(tagText(document, tag))}\n${own.join('\n')}`;
    return `\n\nclass ${className(tag)}(Resource):\n${indented(text)}`;
  });
  const attributes = tags.map((tag) => `self.${snakeCase(wordsOf(tag))} = ${className(tag)}(account)\n`);
  const initializer = `def _offer(self, account: Account) -> None:\n${indented(attributes.join(''))}`;
  const resources = `\n\nclass ${root}:\n${indented(`${docstring(about)}\n${initializer}`)}`;
  return [header(contract, about), IMPORTS.replace('TYPES', types), ...classes, resources].join('');
}

const className = (tag: string): string => pascalCase(wordsOf(tag));

function tagText(document: Document, name: string): string {
  const tags: unknown = document['tags'];
  const own = Array.isArray(tags) ? tags.find((tag) => resolve(document, tag)['name'] === name) : undefined;
  return String(resolve(document, own)['description'] ?? name);
}

function methodOf(document: Document, operation: Operation): Method {
  const at = (value: unknown, ...keys: string[]): unknown =>
    keys.reduce<unknown>((node, key) => resolve(document, node)[key], value);
  const described = at(document, 'paths', operation.path, operation.method.toLowerCase());
  const parameters = at(described, 'parameters');
  const json = ['content', 'application/json', 'schema'];
  const answer = at(described, 'responses', operation.status, ...json);
  const record = operation.isList ? at(answer, 'properties', 'data', 'items') : answer;
  return {
    ...operation,
    parameters: (Array.isArray(parameters) ? parameters : []).map((each) => parameterOf(resolve(document, each))),
    body: typeName(at(described, 'requestBody', ...json)),
    answer: typeName(record),
  };
}

const parameterOf = ({ name, in: place, schema }: Readonly<Record<string, unknown>>): Parameter => ({
  name: String(name),
  in: String(place),
  schema: Object(schema),
});

/** The Python type of a schema, which must have a name in the contract. */
function typeName(schema: unknown): string | undefined {
  if (schema === undefined) return undefined;
  const { $ref }: Schema = Object(schema);
  if ($ref === undefined) throw new Error(`no name of a schema: ${JSON.stringify(schema)}`);
  return `types.${typeOf({ $ref })}`;
}

const parametersIn = ({ parameters }: Method, place: string): Parameter[] =>
  parameters.filter((parameter) => parameter.in === place && !(place === 'query' && parameter.name === 'page'));
const argumentName = (name: string): string => {
  const word = name.toLowerCase().replaceAll('-', '_');
  return isName(word) ? word : `${word}_`;
};

function source(method: Method): string {
  const signature = ['self', ...positional(method), ...named(method)].join(', ');
  const name = methodName(method);
  const text = docstring(`${method.summary}.\n\n${method.description}`);
  return `def ${name}(${signature}) -> ${returned(method)}:\n${indented(text + body(method))}`;
}

/** The name of an operation's method: a keyword of Python gives way to the whole operationId. */
export function methodName({ words, id }: Operation): string {
  return isName(snakeCase(words)) ? snakeCase(words) : snakeCase(wordsOf(id));
}

/** The positional arguments: path parameters and the body. */
function positional(method: Method): string[] {
  const path = parametersIn(method, 'path').map(({ name, schema }) => `${name}: ${valueType(schema)}`);
  if (method.body !== undefined) return [...path, `body: ${method.body}`];
  return contentTypes(method).length > 0 ? [...path, 'content: bytes'] : path;
}

/** The content types of a body that is not JSON. */
const contentTypes = ({ body, bodies }: Method): readonly string[] => (body === undefined ? bodies : []);

/** The named arguments of a call: parameters of query and header. */
function named(method: Method): string[] {
  const query = parametersIn(method, 'query').map(({ name, schema }) =>
    name === 'page_size' ? 'page_size: int = 100' : `${argumentName(name)}: ${valueType(schema)} | None = None`,
  );
  const headers = parametersIn(method, 'header').map(({ name }) => `${argumentName(name)}: str | None = None`);
  const [usual, ...others] = contentTypes(method);
  const media = others.length > 0 ? [`media_type: ${literal(contentTypes(method))} = "${usual}"`] : [];
  const all = [...media, ...query, ...headers];
  return all.length > 0 ? ['*', ...all] : [];
}

/** The Python type of an argument. A time may also be a `datetime`. */
function valueType(schema: Schema): string {
  if (schema.$ref !== undefined) return `types.${typeOf(schema)}`;
  return schema.format === 'date-time' ? 'datetime | str' : typeOf(schema);
}

function returned({ isList, answer, answers }: Method): string {
  if (answer !== undefined) return isList ? `Listing[${answer}]` : answer;
  return answers.length > 0 ? 'File' : 'None';
}

function body(method: Method): string {
  const call = sent(method);
  if (method.isList && parametersIn(method, 'query').some(({ name }) => name === 'cursor')) {
    return `return changing(lambda page, updated_from, cursor: self._json(${call}), updated_from, cursor)\n`;
  }
  if (method.isList) return `return Listing(lambda page: self._json(${call}))\n`;
  if (method.answer !== undefined) return `answer: ${method.answer} = self._json(${call})\nreturn answer\n`;
  return method.answers.length > 0 ? `return self._file(${call})\n` : `self._send(${call})\n`;
}

/** The arguments for the function that all methods call. */
function sent(method: Method): string {
  const values = parametersIn(method, 'path').map(({ name, schema }) =>
    valueType(schema) === 'int' ? `str(${name})` : name,
  );
  const query = parametersIn(method, 'query').map(({ name }) => `"${name}": ${argumentName(name)}`);
  const headers = parametersIn(method, 'header').map(
    ({ name }) => `"${name}": ${argumentName(name)}${name === 'Idempotency-Key' ? ' or new_key()' : ''}`,
  );
  const [only, ...others] = contentTypes(method);
  if (only !== undefined) headers.push(`"Content-Type": ${others.length > 0 ? 'media_type' : `"${only}"`}`);
  const pages = method.isList ? ['"page": page'] : [];
  const dictionary = (name: string, entries: readonly string[]): string[] =>
    entries.length > 0 ? [`${name}={${entries.join(', ')}}`] : [];
  return [
    `"${method.method}"`,
    `"${method.path.replaceAll(/\{\w+\}/g, '{}')}"`,
    ...values,
    ...dictionary('query', [...pages, ...query]),
    ...dictionary('headers', headers),
    ...(method.bodies.length > 0 ? [`body=${method.body === undefined ? 'content' : 'body'}`] : []),
    ...(method.isPublic ? ['is_public=True'] : []),
  ].join(', ');
}
