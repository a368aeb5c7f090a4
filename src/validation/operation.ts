import type { Actor, KeyScope, MemberRole } from '../base/actor.js';
import { type Fields, fieldsOf, isFields, listOf } from '../base/values.js';
import { type Document, resolve } from './document.js';

type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

export interface Route {
  readonly method: Method;
  /** OpenAPI template from the root, e.g. `/api/v1/orders/{id}`. */
  readonly path: string;
  /** `none` only where the contract says `security: []`. */
  readonly security: 'bearer' | 'none';
  /** `x-idempotent`: honours `Idempotency-Key`. */
  readonly idempotent: boolean;
  /** `x-static`: answered without a handler. */
  readonly static?: boolean;
  /** `x-roles`; absent means every authenticated account. */
  readonly roles?: readonly Actor['role'][];
  /** `x-scopes`: of API keys in A, of operator keys in D; absent means `all`. */
  readonly scopes?: readonly KeyScope[];
  /** `x-member-roles`: roles of members that an operation of A admits; absent admits none. */
  readonly memberRoles?: readonly MemberRole[];
  /** `x-scope-filters`: scopes that must send one of these query parameters, or one of a value (`open=true`). */
  readonly scopeFilters?: Partial<Readonly<Record<KeyScope, readonly string[]>>>;
  /** `x-second-factor`: it sets a second factor up, so it demands none. */
  readonly secondFactor?: 'enrolment';
  /** True when the audit log has it (see codegen.ts). */
  readonly audited?: true;
  /** `x-budget` of requests without a token; absent means that of all public operations. */
  readonly budget?: 'tracking';
  /** `x-max-body`: largest body in bytes, after decompression. */
  readonly maxBody?: number;
  /** True when an answer holds a secret: no cache may keep it. */
  readonly secret?: true;
  /** RFC 3339 date or time, as `sunset`. */
  readonly deprecatedAt?: string;
  readonly sunset?: string;
}

export type RouteTable = Readonly<Record<string, Route>>;

/** A parameter of an operation: a text that stands for a value of its type. An `object` of a query is texts by keys. */
export interface Parameter {
  readonly place: 'query' | 'path' | 'header';
  readonly name: string;
  readonly required: boolean;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'object';
  readonly schema: unknown;
}

/** JSON of a schema, or bytes of one of several media types. */
interface OperationBody {
  readonly presence: 'required' | 'optional' | 'none';
  /** Media types for a request, which has one of them; empty when it takes no body. */
  readonly types: readonly string[];
  /** The schema of JSON; undefined for bytes. */
  readonly schema: unknown;
}

export interface Operation {
  readonly id: string;
  readonly route: Route;
  readonly queryNames: ReadonlySet<string>;
  /** Names of the query's objects, whose texts are sent as `name[key]=text`. */
  readonly queryObjects: ReadonlySet<string>;
  /** Lower-case header name → the contract's spelling. */
  readonly headerNames: ReadonlyMap<string, string>;
  readonly parameters: readonly Parameter[];
  readonly body: OperationBody;
  /** Media types of its answers, errors too, as some generated clients accept JSON only; empty without a body. */
  readonly produces: readonly string[];
}

export const JSON_TYPE = 'application/json';

const entries = (value: unknown): [string, unknown][] => (isFields(value) ? Object.entries(value) : []);

const isPlace = (value: unknown): value is Parameter['place'] => /^(query|path|header)$/.test(String(value));
const isType = (value: unknown): value is Parameter['type'] =>
  /^(string|integer|number|boolean|object)$/.test(String(value));

/** Throws for a parameter that is a list, or an object other than texts by keys in a query. */
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

/** Throws for a body that may be JSON or bytes. */
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

/** Throws when the route table names an operation that the contract does not have. */
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
