import type { Request, RequestHandler } from 'express';
import {
  type ExecutionResult,
  type FieldNode,
  type GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  type OperationDefinitionNode,
} from 'graphql';
import { createHandler, type OperationArgs, type RequestParams } from 'graphql-http';
import { forbidden, invalid, malformed, notAcceptable, ServiceError, statusOf } from '../base/errors.js';
import type { Logger } from '../base/telemetry/log.js';
import { createGate } from '../base/turns/queue.js';
import { isFields } from '../base/values.js';
import { noteOperation, noteTrueStatus, requestFields } from '../http/server/request-log.js';
import { idempotencyKey } from '../idempotency/once.js';
import { actorIn, type Context, type Exchange, exchangeFor, type GraphqlDeps, INTERFACE, PATH } from './context.js';
import { createDocuments } from './documents.js';
import { errorOf, gravest, reportErrors, statusUnder, toPublic } from './errors.js';
import { variableCheck } from './input-values.js';
import { createPrograms, type Programs } from './programs.js';
import { fieldsIn, fragmentsOf } from './selections.js';

const MEDIA_TYPES = 'application/graphql-response+json or application/json';

/**
 * Answers a request whose JSON body has been read. An account gets only one answer with lists of orders at a time.
 * These answers are the largest, and many at once would fill the memory.
 */
export function endpoint(deps: GraphqlDeps, schema: GraphQLSchema): RequestHandler {
  const programs = createPrograms(schema);
  const prepare = preparation(schema, programs);
  const lists = createGate({ atOnce: Number.POSITIVE_INFINITY });
  const handle = createHandler<Request, Exchange, Context>({
    execute: programs.execute,
    onSubscribe: async ({ context: exchange }, params) => {
      const prepared = prepare(exchange, params);
      const { actor } = exchange.context;
      if (exchange.listsOrders && actor) exchange.leave = await lists.enter(actor.accountId);
      return prepared;
    },
    onOperation: ({ raw, context }, _args: OperationArgs<Context>, result) =>
      maskErrors(deps.log, raw, context, result),
    formatError: toPublic,
  });
  return async (req, res) => {
    const { method, url, headers } = req;
    const body: unknown = req.body;
    if (!isFields(body))
      throw malformed('body_malformed', 'The body must be one JSON object; batches are not supported.');
    const exchange = exchangeFor(req);
    const [text, init] = await handle({ method, url, headers, body, raw: req, context: exchange }).finally(() => {
      exchange.isAnswered = true;
      exchange.leave?.();
      if (exchange.operation) noteOperation(req, INTERFACE, exchange.operation, PATH);
    });
    if (text === null) throw notAcceptable('not_acceptable', `Answers are ${MEDIA_TYPES} only.`);
    const type = init.headers?.['content-type'] ?? 'application/json; charset=utf-8';
    if (exchange.failure) noteTrueStatus(req, statusOf(exchange.failure.code));
    const status = exchange.failure ? statusUnder(type, exchange.failure.code) : init.status;
    res.status(status).set(exchange.headers).set('Content-Type', type).send(text);
  };
}

/** Checks that a document is valid, within the limits and allowed. */
type Preparation = (exchange: Exchange, params: RequestParams) => OperationArgs<Context> | readonly GraphQLError[];

function preparation(schema: GraphQLSchema, programs: Programs): Preparation {
  const read = createDocuments(schema);
  const typeErrorIn = variableCheck(schema);
  return (exchange, { query, operationName, variables }) => {
    const known = programs.known(query);
    const prepared = known ? { document: known } : read(query);
    if ('errors' in prepared) return prepared.errors;
    const { document } = prepared;
    try {
      const operation = getOperationAST(document, operationName);
      if (!operation)
        throw invalid([{ field: 'operationName', code: 'unknown_value', message: 'must name one operation' }]);
      const fields = fieldsIn(fragmentsOf(document), [operation.selectionSet]);
      // Names for the metrics. The document is valid, so they are names of the schema.
      const [name, ...others] = new Set(fields.map((field) => field.name.value));
      exchange.operation = others.length === 0 ? (name ?? '') : 'several';
      exchange.isSingle = fields.length === 1;
      demandPermission(fields, exchange.context);
      demandScope(operation, fields, exchange.context);
      const typeError = typeErrorIn(operation, variables);
      if (typeError) return [typeError];
      exchange.listsOrders = fields.some(({ name }) => name.value === 'orders');
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      fail(exchange, error);
      return [errorOf(error)];
    }
    if (!known) programs.note(query, document);
    return { schema, document, operationName, variableValues: variables, contextValue: exchange.context };
  };
}

/** Root fields that need no credentials. The schema is public anyway. */
const PUBLIC_FIELDS = new Set(['login', '__typename', '__schema', '__type']);

/**
 * Throws `UNAUTHENTICATED` if a root field needs credentials and the request has no valid ones. Throws
 * `VALIDATION_ERROR` for a malformed Idempotency-Key, or for one with several `createOrder`.
 */
function demandPermission(fields: readonly FieldNode[], context: Context): void {
  if (fields.some(({ name }) => !PUBLIC_FIELDS.has(name.value))) actorIn(context);
  const orders = fields.filter(({ name }) => name.value === 'createOrder');
  if (orders.length === 0 || idempotencyKey(context.idempotencyKey) === undefined) return;
  if (new Set(orders.map(({ alias, name }) => (alias ?? name).value)).size > 1) {
    throw invalid([
      { field: 'Idempotency-Key', code: 'not_allowed', message: 'can be sent with one createOrder only' },
    ]);
  }
}

/** Throws `FORBIDDEN` if the scope of the named API key does not allow the request. */
function demandScope({ operation }: OperationDefinitionNode, fields: readonly FieldNode[], { actor }: Context): void {
  const guarded = fields.filter(({ name }) => !PUBLIC_FIELDS.has(name.value));
  if (!actor?.apiKey || operation !== 'mutation' || guarded.length === 0) return;
  if (actor.apiKey.scope !== 'all')
    throw forbidden('scope_not_allowed', "The key's scope is read; a mutation needs all.");
  if (guarded.some(({ name }) => name.value === 'rotateApiKey')) {
    throw forbidden('scope_not_allowed', 'No named key allows rotateApiKey: send the key that login answers.');
  }
}

/** Reports the errors of a result and hides their details. Notes the worst one if there is no data. */
function maskErrors(log: Logger, req: Request, exchange: Exchange, result: ExecutionResult): ExecutionResult {
  if (!result.errors) return result;
  const worst = gravest(reportErrors(result.errors, log, requestFields(req)));
  if (worst && !result.data) fail(exchange, worst);
  else if (worst && statusOf(worst.code) >= 500) noteTrueStatus(req, statusOf(worst.code));
  return { ...result, errors: result.errors.map(toPublic) };
}

function fail(exchange: Exchange, error: ServiceError): void {
  exchange.failure = error;
  Object.assign(exchange.headers, error.headers);
}
