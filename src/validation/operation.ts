import type { Actor, KeyScope, MemberRole } from '../base/actor.js';
import { type Fields, fieldsOf, isFields, listOf } from '../base/values.js';
import { type Document, resolve } from './document.js';

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

export interface Route {
  readonly method: Method;
  /** OpenAPI template from the root, for example `/api/v1/orders/{id}`. */
  readonly path: string;
  /** `none` only if the contract says `security: []`. */
  readonly security: 'bearer' | 'none';
  /** `x-idempotent`: the operation accepts `Idempotency-Key`. */
  readonly idempotent: boolean;
  /** `x-static`: the answer needs no handler. */
  readonly static?: boolean;
  /** `x-roles`: the roles that may call it. Absent: every authenticated account. */
  readonly roles?: readonly Actor['role'][];
  /** `x-scopes`: the scopes of API keys in A, of operator keys in D. Absent: `all`. */
  readonly scopes?: readonly KeyScope[];
  /** `x-member-roles`: the roles of members that an operation of A admits. Absent: no member. */
  readonly memberRoles?: readonly MemberRole[];
  /** `x-scope-filters`: scopes that must send one of these query parameters, or one with a value (`open=true`). */
  readonly scopeFilters?: Partial<Readonly<Record<KeyScope, readonly string[]>>>;
  /** `x-second-factor`: the operation sets up a second factor, so it does not demand one. */
  readonly secondFactor?: 'enrolment';
  /** True if the audit log records the operation (see codegen.ts). */
  readonly audited?: true;
  /** `x-budget` for requests without a token. Absent: the budget of all public operations. */
  readonly budget?: 'tracking';
  /** `x-max-body`: most bytes of a body after decompression. */
  readonly maxBody?: number;
  /** True if an answer contains a secret, so that no cache may keep it. */
  readonly secret?: true;
  /** RFC 3339 date or time, like `sunset`. */
  readonly deprecatedAt?: string;
  readonly sunset?: string;
}

export type RouteTable = Readonly<Record<string, Route>>;

/** A parameter of an operation: a text that stands for a value of its type. An `object` in a query has texts by key. */
export interface Parameter {
  readonly place: 'query' | 'path' | 'header';
  readonly name: string;
  readonly required: boolean;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'object';
  readonly schema: unknown;
}

/** A body: JSON by a schema, or bytes of one of several media types. */
interface OperationBody {
  readonly presence: 'required' | 'optional' | 'none';
  /** Media types that a request may have. Empty if the operation takes no body. */
  readonly types: readonly string[];
  /** The schema of a JSON body. Undefined for bytes. */
  readonly schema: unknown;
}

export interface Operation {
  readonly id: string;
  readonly route: Route;
  readonly queryNames: ReadonlySet<string>;
  /** Names of objects in the query. Their texts are sent as `name[key]=text`. */
  readonly queryObjects: ReadonlySet<string>;
  /** Spelling of header names in the contract, by lower-case name. */
  readonly headerNames: ReadonlyMap<string, string>;
  readonly parameters: readonly Parameter[];
  readonly body: OperationBody;
  /** Media types of answers and errors, because some generated clients accept only JSON. Empty if there is no body. */
  readonly produces: readonly string[];
}

export const JSON_TYPE = 'application/json';

const entries = (value: unknown): [string, unknown][] => (isFields(value) ? Object.entries(value) : []);

const isPlace = (value: unknown): value is Parameter['place'] => /^(query|path|header)$/.test(String(value));
const isType = (value: unknown): value is Parameter['type'] =>
  /^(string|integer|number|boolean|object)$/.test(String(value));

/** Reads the parameters. Throws for a list, and for any object except texts by key in a query. */
function parametersOf(document: Document, item: Fields, operation: Fields): Parameter[] {
  return [...listOf(item['parameters']), ...listOf(operation['parameters'])].map((reference) => {
    const { in: place, name, required, schema, style } = fieldsOf(resolve(document, reference));
    const { type } = fieldsOf(resolve(document, schema));
    const isSent = type !== 'object' || (place === 'query' && style === 'deepObject');
    if (isSent && isPlace(place) && isType(type))
      return { place, name: String(name), required: required === true, type, schema };
    throw new Error(
      `The parameter ${name} of ${operation['operationId']} is not a single value of query, path or header.`,
    );
  });
}

/** Reads the body. Throws if it may be JSON or bytes. */
function bodyOf(document: Document, operation: Fields): OperationBody {
  const body = resolve(document, operation['requestBody']);
  if (!isFields(body)) return { presence: 'none', types: [], schema: undefined };
  const content = isFields(body['content']) ? body['content'] : {};
  const types = Object.keys(content);
  const json = content[JSON_TYPE];
  if (json !== undefined && types.length > 1)
    throw new Error(`${String(operation['operationId'])} takes JSON and other media types.`);
  const presence = body['required'] === true ? 'required' : 'optional';
  return { presence, types, schema: isFields(json) ? json['schema'] : undefined };
}

function producesOf(document: Document, operation: Fields): string[] {
  const answers = entries(operation['responses']).map(([status, reference]) => {
    const response = resolve(document, reference);
    const types = isFields(response) ? entries(response['content']).map(([type]) => type) : [];
    return { isSuccess: status.startsWith('2'), types };
  });
  const hasBody = answers.some(({ isSuccess, types }) => isSuccess && types.length > 0);
  return hasBody ? [...new Set(answers.flatMap(({ types }) => types))] : [];
}

/** Reads an operation. Throws if the route table has an operation that the contract does not have. */
export function readOperation(document: Document, id: string, route: Route): Operation {
  const item: unknown = resolve(document, document.paths[route.path]);
  const operation = isFields(item) ? item[route.method] : undefined;
  if (!isFields(item) || !isFields(operation) || operation['operationId'] !== id) {
    throw new Error(`The route table and the contract disagree about ${id}.`);
  }
  const parameters = parametersOf(document, item, operation);
  const namesIn = (place: string) => parameters.flatMap((each) => (each.place === place ? each.name : []));
  return {
    id,
    route,
    queryNames: new Set(namesIn('query')),
    queryObjects: new Set(parameters.flatMap(({ type, name }) => (type === 'object' ? [name] : []))),
    headerNames: new Map(namesIn('header').map((name) => [name.toLowerCase(), name])),
    parameters,
    body: bodyOf(document, operation),
    produces: producesOf(document, operation),
  };
}
