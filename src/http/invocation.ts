import { once as occurred } from 'node:events';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Request, RequestHandler, Response } from 'express';
import type { Logger } from 'pino';
import { ServiceError } from '../base/errors.js';
import type { KeyRing } from '../base/keys.js';
import type { Db } from '../db/connect.js';
import { transaction } from '../db/transaction.js';
import { audited, type RecordAudit } from './audit.js';
import { actorOf } from './authentication.js';
import { ifMatchOf } from './conditional.js';
import type { Context, RawHandler, RawInput, RawReply, RawStage } from './handler.js';
import { earlierAnswer, fingerprintOf, idempotencyKey, once, type Scope } from './idempotency/once.js';
import { snakePath } from './names.js';
import type { Operation } from './operation.js';
import { requestIdOf } from './server/request-log.js';

export interface Surroundings {
  readonly db: Db;
  readonly log: Logger;
  /** Name of the interface, kept with idempotency keys. */
  readonly door: string;
  /** Seals the answers kept for idempotency keys. */
  readonly keys: KeyRing;
  readonly recordAudit: RecordAudit;
}

function inputOf(req: Request, { db, log }: Surroundings, afterCommit: Context['afterCommit']): RawInput {
  const ctx: Context = {
    actor: actorOf(req),
    requestId: requestIdOf(req),
    ip: req.ip ?? '',
    log,
    db,
    ifMatch: ifMatchOf(req.get('if-match')),
    afterCommit,
  };
  return { params: req.params, query: req.query, body: req.body, ctx };
}

function scopeOf(
  req: Request,
  operation: Operation,
  { params, query, body, ctx }: RawInput,
  { door, keys }: Surroundings,
): Scope | undefined {
  const key = idempotencyKey(req.get('idempotency-key'));
  if (key === undefined || !ctx.actor) return undefined;
  const { accountId, key: operatorKey } = ctx.actor;
  // Two operator keys that one operator made are two clients: neither gets the other's answer.
  const client = operatorKey ? `${operation.id} ${operatorKey.id}` : operation.id;
  return { accountId, operation: client, key, door, keys, fingerprint: fingerprintOf({ params, query, body }) };
}

/** First stage: a refusal of it is kept like one of the second. */
async function decide(handler: RawHandler, input: RawInput): Promise<RawStage> {
  try {
    const write = await handler(input);
    if (typeof write !== 'function') throw new Error('An idempotent operation needs a handler of two stages.');
    return write;
  } catch (error) {
    return () => Promise.reject(error);
  }
}

async function onceFor(handler: RawHandler, input: RawInput, scope: Scope, db: Db): Promise<RawReply> {
  const earlier = await earlierAnswer<RawReply>(db, scope);
  const { answer, replayed } = earlier ?? (await once(db, scope, await decide(handler, input)));
  return replayed ? { ...answer, headers: { ...answer.headers, 'Idempotent-Replayed': 'true' } } : answer;
}

async function replyTo(
  req: Request,
  operation: Operation,
  handler: RawHandler,
  around: Surroundings,
): Promise<RawReply> {
  const followUps: (() => Promise<unknown>)[] = [];
  const input = inputOf(req, around, (work) => followUps.push(work));
  const scope = operation.route.idempotent ? scopeOf(req, operation, input, around) : undefined;
  const reply = await (scope ? onceFor(handler, input, scope, around.db) : committed(handler, input, around.db));
  for (const followUp of followUps) await followUp();
  return reply;
}

async function committed(handler: RawHandler, input: RawInput, db: Db): Promise<RawReply> {
  const result = await handler(input);
  return typeof result === 'function' ? transaction(db, result) : result;
}

/**
 * Sends a reply: a body without a `type` as JSON, bytes under the media type that the contract declares for them. Throws
 * what a stream throws before its first byte; later the connection is cut, so that nobody takes a part for the whole.
 */
async function sendReply(res: Response, { status, type, body, headers = {} }: RawReply): Promise<void> {
  // Without an ETag there is nothing to compare; Express would still answer 304 to `*`.
  if (headers['ETag'] === undefined) delete res.req.headers['if-none-match'];
  // Every fetch sends `no-cache` with If-None-Match; it speaks to caches, but Express would answer 200 to it.
  delete res.req.headers['cache-control'];
  if (body instanceof Readable) await occurred(body, 'readable');
  res.status(status).set(headers);
  if (body === undefined) return void res.end();
  if (type === undefined) return void res.json(body);
  res.set({ 'Content-Type': type, 'X-Content-Type-Options': 'nosniff' });
  if (body instanceof Readable) return sendStream(res, body);
  if (!Buffer.isBuffer(body)) throw new TypeError(`A body of ${type} must be bytes or a stream.`);
  res.send(body);
}

async function sendStream(res: Response, body: Readable): Promise<void> {
  if (res.req.method === 'HEAD' || res.req.fresh) {
    body.destroy();
    return void (res.req.fresh ? res.status(304) : res).end();
  }
  await pipeline(body, res).catch((error: unknown) => {
    // A client that goes away is no fault of ours.
    if (!isPrematureClose(error)) throw error;
  });
}

const isPrematureClose = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';

/** Domains name fields in camelCase, the REST contracts in snake_case. */
function inContractNames(error: unknown): unknown {
  if (!(error instanceof ServiceError) || error.details.length === 0) return error;
  const details = error.details.map(({ field, message }) => ({ field: snakePath(field), message }));
  return new ServiceError(error.code, error.message, { details, headers: error.headers, cause: error.cause });
}

/** Last step of an operation: calls its handler, under its idempotency key if it has one, writes the audit log, sends the reply. */
export function invocation(operation: Operation, given: RawHandler, around: Surroundings): RequestHandler {
  const handler = audited(operation, given, around.recordAudit);
  return async (req, res) => {
    try {
      await sendReply(res, await replyTo(req, operation, handler, around));
    } catch (error) {
      throw inContractNames(error);
    }
  };
}
