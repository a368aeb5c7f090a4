import { readFile } from 'node:fs/promises';

/** Reads the operations of a contract as methods of a client, for any language. */

type Fields = Readonly<Record<string, unknown>>;

/** A bundled OpenAPI document. */
export type Document = Fields;

export interface Operation {
  /** The `operationId` of the operation. */
  readonly id: string;
  /** Name of the tag, such as `Package statuses`. The client has a resource per tag, with this method. */
  readonly tag: string;
  /** The name of the method, in words: `['list']`, `['update', 'status']`. */
  readonly words: readonly string[];
  readonly summary: string;
  readonly description: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The path, with `{name}` for each path parameter. */
  readonly path: string;
  readonly pathParameters: readonly { name: string; isInteger: boolean }[];
  readonly hasQuery: boolean;
  /** True if some query parameter is required. */
  readonly isQueryRequired: boolean;
  /** The media types of the body. Empty if there is no body. */
  readonly bodies: readonly string[];
  /** The name of the schema of a JSON body. */
  readonly bodySchema: string | undefined;
  /** The status of a success. `answers` has its media types, and is empty if the answer has no body. */
  readonly status: string;
  readonly answers: readonly string[];
  /** The name of the schema of a JSON answer. */
  readonly answerSchema: string | undefined;
  /** True if the answer is a page of a list. */
  readonly isList: boolean;
  readonly takesKey: boolean;
  readonly takesVersion: boolean;
  readonly isPublic: boolean;
}

const methods = ['get', 'post', 'put', 'patch', 'delete'] as const;

export async function readContract(name: 'rest' | 'operator'): Promise<Document> {
  return JSON.parse(await readFile(new URL(`../generated/${name}.openapi.json`, import.meta.url), 'utf8'));
}

const fields = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? Object.fromEntries(Object.entries(value)) : {};
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** Follows a reference inside the document. Any other value is returned unchanged. */
export function resolve(document: Document, value: unknown): Fields {
  const { $ref } = fields(value);
  if (typeof $ref !== 'string') return fields(value);
  const target = $ref
    .split('/')
    .slice(1)
    .reduce<unknown>((at, key) => fields(at)[key.replaceAll('~1', '/').replaceAll('~0', '~')], document);
  return resolve(document, target);
}

const LOGINS = new Set<unknown>(['login', 'issueToken']);

/**
 * The operations that a program calls. Left out: log-in, which the client does itself, and static pages, which are for
 * people.
 */
export function operationsOf(document: Document): Operation[] {
  const found = Object.entries(fields(document['paths'])).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = fields(fields(item)[method]);
      const id = operation['operationId'];
      if (typeof id !== 'string' || LOGINS.has(id) || operation['x-static'] === true) return [];
      return [operationOf(document, { id, path, method, operation })];
    }),
  );
  return withoutClashes(found);
}

function operationOf(
  document: Document,
  { id, path, method, operation }: { id: string; path: string; method: string; operation: Fields },
): Operation {
  const parameters = list(operation['parameters']).map((each) => resolve(document, each));
  const named = (kind: string) => parameters.flatMap((each) => (each['in'] === kind ? [String(each['name'])] : []));
  const [[status, answer] = ['', undefined]] = Object.entries(fields(operation['responses'])).filter(([code]) =>
    code.startsWith('2'),
  );
  const answers = fields(resolve(document, answer)['content']);
  const page = resolve(document, fields(answers['application/json'])['schema']);
  const bodies = fields(resolve(document, operation['requestBody'])['content']);
  const isInteger = (name: string): boolean =>
    parameters.some((each) => each['name'] === name && resolve(document, each['schema'])['type'] === 'integer');
  const tag = String(list(operation['tags'])[0]);
  return {
    id,
    tag,
    words: methodWords(id, tag),
    summary: String(operation['summary']),
    description: String(operation['description']),
    method: method.toUpperCase() as Operation['method'],
    path,
    pathParameters: [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => ({ name, isInteger: isInteger(name) })),
    hasQuery: named('query').length > 0,
    isQueryRequired: parameters.some((each) => each['in'] === 'query' && each['required'] === true),
    bodies: Object.keys(bodies),
    bodySchema: schemaOf(bodies),
    status,
    answers: Object.keys(answers),
    answerSchema: schemaOf(answers),
    isList: named('query').includes('page') && 'pagination' in fields(page['properties']),
    takesKey: named('header').includes('Idempotency-Key'),
    takesVersion: named('header').includes('If-Match'),
    isPublic: list(operation['security'] ?? document['security']).length === 0,
  };
}

/** The name of the schema in the content. Undefined if the content has no JSON. */
function schemaOf(content: Fields): string | undefined {
  if (!('application/json' in content)) return undefined;
  const { $ref } = fields(fields(content['application/json'])['schema']);
  if (typeof $ref !== 'string') throw new Error(`no name of a schema: ${JSON.stringify(content)}`);
  return $ref.split('/').at(-1);
}

/** The contract's description of a tag. */
export function tagText(document: Document, name: string): string {
  const tag = list(document['tags']).find((each) => fields(each)['name'] === name);
  return String(fields(tag)['description'] ?? name);
}

/** Splits a name into words: `PackageStatuses` and `Package statuses` both become `['package', 'statuses']`. */
export const wordsOf = (name: string): string[] =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[\s-]+/);

const singular = (word: string): string =>
  word
    .replace(/ies$/, 'y')
    .replace(/(status)es$/, '$1')
    .replace(/([^su])s$/, '$1');

/** The words of an operationId without those of its resource: `listOwnPackages` of Packages becomes `list`. */
function methodWords(id: string, tag: string): string[] {
  const [verb = '', ...others] = wordsOf(id);
  const rest = others[0] === 'own' ? others.slice(1) : others;
  const subject = wordsOf(tag);
  const isSubject = (words: readonly string[]): boolean => words.map(singular).join() === subject.map(singular).join();
  if (isSubject(rest.slice(0, subject.length))) return [verb, ...rest.slice(subject.length)];
  return [verb, ...(isSubject(rest.slice(-subject.length)) ? rest.slice(0, -subject.length) : rest)];
}

/** Gives methods of one resource with the same name the words of their whole operationId. */
function withoutClashes(operations: readonly Operation[]): Operation[] {
  const name = ({ tag, words }: Operation): string => `${tag} ${words.join(' ')}`;
  const count = (operation: Operation): number => operations.filter((each) => name(each) === name(operation)).length;
  return operations.map((each) => (count(each) > 1 ? { ...each, words: wordsOf(each.id) } : each));
}

export const versionOf = (document: Document): string => String(resolve(document, document['info'])['version']);
