import { parse } from 'yaml';

/** The regular part of an operation, as every operation of the contracts has it. */

export const methods = ['get', 'post', 'put', 'delete'] as const;
export type Method = (typeof methods)[number];

export interface NewOperation {
  readonly id: string;
  readonly method: Method;
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  /** Names of schemas; an operation without an answer answers 204. */
  readonly answer?: string;
  readonly body?: string;
  /** The status of success; 200 or 204 unless given. */
  readonly status?: string;
  /** True when it answers a page of a list. */
  readonly list?: boolean;
  /** True when the record has a version: ETag, If-None-Match, If-Match. */
  readonly versioned?: boolean;
  readonly operatorsOnly?: boolean;
  readonly since?: string;
}

/** The place of a contract, and its path to the parts that both contracts share. */
export const contractOf = (path: string): { file: string; shared: string } =>
  path.startsWith('/operator/')
    ? { file: 'operator.openapi.yaml', shared: './openapi.yaml#' }
    : { file: 'openapi.yaml', shared: '#' };

/**
 * The operation in the contract's notation, indented to stand below its path. `parameters` are those that both
 * contracts have.
 */
export function operationText(operation: NewOperation, parameters: ReadonlyMap<string, string>): string {
  const { id, method, path, tag, summary, answer, body, list, versioned, since } = operation;
  const isOperators = path.startsWith('/operator/');
  const { shared } = contractOf(path);
  const idempotent = method === 'post';
  const success = operation.status ?? (answer === undefined ? '204' : '200');
  const ref = (kind: string, name: string, at = shared) => `{ $ref: '${at}/components/${kind}/${name}' }`;
  const lines = (...groups: (string | false | undefined)[]) => groups.filter((line) => typeof line === 'string');

  const content = (name: string, indent: string) =>
    [
      'content:',
      '  application/json:',
      `    schema: ${ref('schemas', name, '#')}`,
      '    examples:',
      `      default: ${ref('examples', name, '#')}`,
    ].map((line) => indent + line);
  const headers = lines(
    'X-Request-Id',
    'X-RateLimit-Limit',
    'X-RateLimit-Remaining',
    'X-RateLimit-Reset',
    success === '201' && 'Location',
    versioned && method !== 'delete' && 'ETag',
    idempotent && 'Idempotent-Replayed',
  );
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(
    ([, name = '']) => parameters.get(name) ?? `#/components/parameters/${nameInPath(name)}`,
  );
  const others = lines(
    idempotent && 'IdempotencyKey',
    list && 'Page',
    list && 'PageSize',
    versioned && method === 'get' && 'IfNoneMatch',
    versioned && (method === 'put' || method === 'delete') && 'IfMatch',
  ).map((name) => `${shared}/components/parameters/${name}`);
  const text = lines(
    `${method}:`,
    `  operationId: ${id}`,
    `  tags: [${tag}]`,
    `  summary: ${summary}`,
    since !== undefined && `  x-since: '${since}'`,
    (isOperators || operation.operatorsOnly) && '  x-roles: [operator]',
    `  x-scopes: [${method === 'get' ? 'read, all' : 'all'}]`,
    !isOperators && `  x-member-roles: [${membersOf(operation)}]`,
    idempotent && '  x-idempotent: true',
    inPath.length + others.length > 0 && '  parameters:',
    ...[...inPath, ...others].map((pointer) => `    - $ref: '${pointer}'`),
    ...(body === undefined ? [] : ['  requestBody:', '    required: true', ...content(body, '    ')]),
    '  responses:',
    `    '${success}':`,
    `      description: ${summary}.`,
    '      headers:',
    ...headers.map((name) => `        ${name}: ${ref('headers', name)}`),
    ...(answer === undefined ? [] : content(answer, '      ')),
    ...errorsOf(operation).map(([status, name]) => `    '${status}': ${ref('responses', name)}`),
  );
  return text.map((line) => `    ${line}\n`).join('');
}

/** The roles of members that may call an operation of A: a viewer only reads. */
const membersOf = ({ operatorsOnly, method }: NewOperation): string =>
  operatorsOnly ? '' : method === 'get' ? 'owner, shipper, viewer' : 'owner, shipper';

/** The errors that an operation of its kind may answer. */
function errorsOf(operation: NewOperation): [status: string, answer: string][] {
  const { method, path, answer, body, versioned = false } = operation;
  const isRead = method === 'get';
  const errors: [status: string, answer: string, applies: boolean][] = [
    ['304', 'NotModified', versioned && isRead],
    ['400', 'BadRequest', true],
    ['401', 'Unauthenticated', true],
    ['403', 'Forbidden', true],
    ['404', 'NotFound', path.includes('{')],
    ['406', 'NotAcceptable', answer !== undefined],
    ['409', 'Conflict', method === 'post'],
    ['412', 'PreconditionFailed', versioned && (method === 'put' || method === 'delete')],
    ['413', 'PayloadTooLarge', body !== undefined],
    ['415', 'UnsupportedMediaType', body !== undefined],
    ['422', 'IdempotencyKeyReused', method === 'post'],
    ['429', 'RateLimited', true],
    ['500', 'InternalError', true],
    ['503', 'Unavailable', true],
  ];
  return errors.filter(([, , applies]) => applies).map(([status, name]) => [status, name]);
}

const nameInPath = (name: string): string =>
  `${name.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())}InPath`;

/** The contract with the operation at the end of its path, or of all paths where that is new. */
export function inserted(contract: string, path: string, operation: string): string {
  const lines = contract.split('\n');
  const start = lines.indexOf(`  ${path}:`);
  const from = start < 0 ? lines.indexOf('components:') : start + 1;
  const length = start < 0 ? 0 : lines.slice(from).findIndex((line) => /^( {2})?\S/.test(line));
  const before = lines
    .slice(0, from + length)
    .join('\n')
    .trimEnd();
  const after = lines.slice(from + length).join('\n');
  return `${before}\n${start < 0 ? `\n  ${path}:\n` : ''}${operation}\n${after}`;
}

/** Parameters in paths, by name, as a contract refers to them. */
export function pathParameters(contract: string, at: string): [name: string, pointer: string][] {
  const parameters: Record<string, { in: string; name: string }> = parse(contract).components.parameters;
  return Object.entries(parameters)
    .filter(([, parameter]) => parameter.in === 'path')
    .map(([key, { name }]) => [name, `${at}/components/parameters/${key}`]);
}
