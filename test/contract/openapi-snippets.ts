import { bundles, fields, type Node, type Operation, operationsOf, resolve } from './contract-files.js';
import { MISFIT, MISSING, type Snippet, snippetsAbout, UNKNOWN } from './snippet.js';

const preamble = (edge: string, id: string): string => `
import type { Handler, Handlers, Input } from '../../src/http/handler.js';
import type { RouteTable } from '../../src/http/operation.js';
import type { operations, requests } from '../../generated/${edge}.js';
import type { OperationId, routes } from '../../generated/${edge}.routes.js';
type All = Handlers<operations, typeof routes>;
type On = Handler<operations, typeof routes, '${id}'>;
type Result = Awaited<ReturnType<On>>;
type Stage = Extract<Result, (...args: never) => unknown>;
type Answer = [Stage] extends [never] ? Result : Awaited<ReturnType<Stage>>;
declare const table: typeof routes;
declare const others: Omit<All, '${id}'>;
declare const it: On;
declare const answer: Answer;
declare const given: Input<operations, typeof routes, '${id}'>;
`;

const ONE_STAGE = 'export const handler: On = async () => answer;';
const TWO_STAGES = 'export const handler: On = async () => async () => answer;';

/** Query parameters of the operation that have a default. */
const defaultedBy = (document: Node, { node }: Operation): string[] =>
  [node['parameters'] ?? []]
    .flat()
    .map((parameter) => fields(resolve(document, parameter)))
    .filter(({ in: place, schema }) => place === 'query' && 'default' in fields(resolve(document, schema)))
    .map(({ name }) => String(name));

/** Status of the documented success, and whether its answer has a body. */
function successOf(document: Node, { node }: Operation): { status: string; hasBody: boolean } {
  const answers = Object.entries(fields(node['responses']));
  const [status, answer] = answers.find(([key]) => key.startsWith('2')) ?? ['none', undefined];
  return { status, hasBody: 'content' in fields(resolve(document, answer)) };
}

/** True where the contract says that changes are in the audit log, or where only operators may make them. */
const isAudited = ({ pointer, node }: Operation): boolean =>
  node['x-audit'] === true ||
  (node['x-audit'] === undefined && !pointer.endsWith('/get') && String(node['x-roles']) === 'operator');

function operationSnippets(edge: string, document: Node, operation: Operation): Snippet[] {
  const { id, node } = operation;
  const { status, hasBody } = successOf(document, operation);
  const isStaged = node['x-idempotent'] === true || isAudited(operation);
  const { right, wrong } = snippetsAbout(`${edge} ${id}`, preamble(edge, id));
  const other = (part: string) => `export const other: Answer = { ...answer, ${part} };`;
  return [
    right('handler in its place', `export const all: All = { ...others, ${id}: it };`),
    right('documented status', `export const same: Answer = { ...answer, status: ${status} };`),
    right('stages', isStaged ? TWO_STAGES : ONE_STAGE),
    ...defaultedBy(document, operation).flatMap((name) => [
      right(`handlers always get ${name}`, `export const value: NonNullable<unknown> = given.query.${name};`),
      right(`clients may leave ${name} out`, `export const none: requests['${id}']['parameters']['query'] = {};`),
    ]),
    wrong('missing handler', 'export const all: All = others;', MISSING),
    wrong('undocumented status', other(`status: ${status === '202' ? 203 : 202}`), MISFIT),
    wrong(hasBody ? 'wrong body' : 'body where none is documented', other('body: 7'), MISFIT),
    wrong('unknown path parameter', 'export const value = given.params.nothing;', UNKNOWN),
    wrong('unknown query parameter', 'export const value = given.query.nothing;', UNKNOWN),
    isStaged
      ? wrong('one stage instead of two', ONE_STAGE, MISFIT)
      : wrong('two stages instead of one', TWO_STAGES, MISFIT),
  ];
}

function edgeSnippets(edge: string, document: Node): Snippet[] {
  const answered = operationsOf(document).filter(({ node }) => node['x-static'] !== true);
  const { right, wrong } = snippetsAbout(edge, preamble(edge, answered[0]?.id ?? ''));
  return [
    right('route table', 'export const checked: RouteTable = table;'),
    right('operation ids', 'declare const id: OperationId; export const known: keyof All = id;'),
    wrong('handler of no operation', 'declare const all: All; export const one = all.nothing;', UNKNOWN),
    ...answered.flatMap((operation) => operationSnippets(edge, document, operation)),
  ];
}

/** Handlers of both OpenAPI contracts: every operation of each. */
export const openapiSnippets: readonly Snippet[] = Object.entries(bundles).flatMap(([edge, document]) =>
  edgeSnippets(edge, document),
);
