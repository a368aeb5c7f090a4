import type { Request, RequestHandler } from 'express';
import type { ExecutionResult } from 'graphql';
import { createHandler, type OperationArgs } from 'graphql-http';
import { malformed, ServiceError, statusOf } from '../base/errors.js';
import type { Logger } from '../base/log.js';
import { isFields } from '../base/values.js';
import { requestIdOf } from '../http/request-log.js';
import type { Context, GraphqlDeps } from './context.js';
import { gravest, serviceErrorBehind, statusUnder, toPublic } from './errors.js';
import { type Exchange, exchangeFor, fail } from './exchange.js';
import { preparation } from './preparation.js';
import { lines } from './turns.js';

/** Masks the errors of a result, and logs those that are ours; notes the gravest when there is no data. */
function settle(log: Logger, req: Request, exchange: Exchange, result: ExecutionResult): ExecutionResult {
  if (!result.errors) return result;
  const faults = result.errors.map(serviceErrorBehind);
  for (const fault of faults.filter(({ code }) => statusOf(code) >= 500)) {
    log.error({ err: fault.cause ?? fault, requestId: requestIdOf(req) }, 'request failed');
  }
  const worst = gravest(faults);
  if (worst && !result.data) fail(exchange, worst);
  return { ...result, errors: result.errors.map(toPublic) };
}

/**
 * Answers a GraphQL request whose JSON body has been read, as the GraphQL over HTTP specification has it. Of an account's lists
 * of orders one request is answered at a time: they are the largest answers, and many at once would fill the memory.
 */
export function endpoint(deps: GraphqlDeps): RequestHandler {
  const prepare = preparation(deps);
  const enter = lines();
  const handle = createHandler<Request, Exchange, Context>({
    onSubscribe: async ({ context: exchange }, params) => {
      const prepared = prepare(exchange, params);
      const { actor } = exchange.context;
      if (exchange.listsOrders && actor) exchange.leave = await enter(actor.accountId);
      return prepared;
    },
    onOperation: ({ raw, context }, _args: OperationArgs<Context>, result) => settle(deps.log, raw, context, result),
    formatError: toPublic,
  });
  return async (req, res) => {
    const { method, url, headers } = req;
    const body: unknown = req.body;
    if (!isFields(body)) throw malformed('The body must be one JSON object; batches are not supported.');
    const exchange = exchangeFor(req);
    const [text, init] = await handle({ method, url, headers, body, raw: req, context: exchange }).finally(() => {
      exchange.isAnswered = true;
      exchange.leave?.();
    });
    if (text === null) throw new ServiceError('NOT_ACCEPTABLE', `Answers are ${MEDIA_TYPES} only.`);
    const type = init.headers?.['content-type'] ?? 'application/json; charset=utf-8';
    const status = exchange.failure ? statusUnder(type, exchange.failure.code) : init.status;
    res.status(status).set(exchange.headers).set('Content-Type', type).send(text);
  };
}

const MEDIA_TYPES = 'application/graphql-response+json or application/json';
