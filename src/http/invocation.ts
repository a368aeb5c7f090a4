import type { Request, RequestHandler } from 'express';
import { auditedActor, type NewAuditEntry } from '../base/actor.js';
import { malformed } from '../base/errors.js';
import type { KeyRing } from '../base/secrets/keys.js';
import type { Logger } from '../base/telemetry/log.js';
import { fieldsOf, isFields } from '../base/values.js';
import type { Db } from '../db/connect.js';
import { transaction } from '../db/transaction.js';
import { fingerprintOf, idempotencyKey, noted, once } from '../idempotency/once.js';
import type { Scope } from '../idempotency/stored-answers.js';
import type { Operation } from '../validation/operation.js';
import { actorOf } from './authentication.js';
import type { Bulkhead } from './bulkhead.js';
import { ifMatchOf, knownVersionOf } from './conditional.js';
import { inContractNames } from './errors.js';
import type { Context, RawHandler, RawInput, RawReply, RawStage } from './handler.js';
import { freePlace } from './limits/in-flight.js';
import { sendReply } from './reply.js';
import { originOf, requestIdOf } from './server/request-log.js';

type Targets = NewAuditEntry['targets'];

export interface Surroundings {
  readonly db: Db;
  readonly log: Logger;
  /** The interface of the request. Idempotency keys of different interfaces are different keys. */
  readonly interfaceName: string;
  readonly keys: KeyRing;
  readonly bulkhead: Bulkhead;
  readonly recordAudit: (db: Db, entry: NewAuditEntry) => Promise<void>;
  /** Finds the account of the record that an operator changes, by the operation's path and the ids in the request. */
  readonly accountOfRecord: (db: Db, path: string, ids: Targets) => Promise<string | undefined>;
}

/** Makes the last step of an operation: it calls the handler under the idempotency key and sends the reply. */
export function invocation(operation: Operation, handler: RawHandler, around: Surroundings): RequestHandler {
  const handle = operation.route.audited ? audited(operation, handler, around) : handler;
  return async (req, res) => {
    try {
      const work = () => replyTo(req, operation, handle, around);
      await sendReply(res, await around.bulkhead.run(operation.id, actorOf(req)?.accountId, work));
    } catch (error) {
      throw inContractNames(error);
    }
  };
}

async function replyTo(
  req: Request,
  operation: Operation,
  handle: RawHandler,
  around: Surroundings,
): Promise<RawReply> {
  const followUps: (() => Promise<unknown>)[] = [];
  const input = inputOf(req, operation, around, (work) => followUps.push(work));
  const scope = operation.route.idempotent ? scopeOf(req, operation, input, around) : undefined;
  const freeing: RawHandler = async (each) => {
    const result = await handle(each);
    if ('commit' in result && result.isSmall) freePlace(req);
    return result;
  };
  const reply = await (scope ? replyOnce(freeing, input, scope, around.db) : committed(freeing, input, around.db));
  for (const followUp of followUps) await followUp();
  return reply;
}

function inputOf(
  req: Request,
  { produces }: Operation,
  { db, log }: Surroundings,
  afterCommit: Context['afterCommit'],
): RawInput {
  const ctx: Context = {
    actor: actorOf(req),
    requestId: requestIdOf(req),
    origin: originOf(req),
    authorization: req.headers.authorization,
    ip: req.ip ?? '',
    log,
    db,
    get mediaType() {
      return req.accepts([...produces]) || undefined;
    },
    ifMatch: ifMatchOf(req.get('if-match')),
    knownVersion: knownVersionOf(req.headers['if-none-match']),
    get signal() {
      return signalOf(req);
    },
    afterCommit,
  };
  return { params: req.params, query: req.query, body: req.body, ctx };
}

function signalOf({ res }: Request): AbortSignal {
  const controller = new AbortController();
  const leave = (): void => controller.abort(malformed('request_malformed', 'The client left before its answer.'));
  if (res?.closed) leave();
  else res?.once('close', leave);
  return controller.signal;
}

function scopeOf(
  req: Request,
  operation: Operation,
  { params, query, body, ctx }: RawInput,
  { interfaceName, keys }: Surroundings,
): Scope | undefined {
  const key = idempotencyKey(req.get('idempotency-key'));
  if (key === undefined || !ctx.actor) return undefined;
  const { accountId, key: operatorKey } = ctx.actor;
  // Two operator keys of one operator are two clients, so neither gets the other's stored answer.
  const client = operatorKey ? `${operation.id} ${operatorKey.id}` : operation.id;
  const fingerprint = fingerprintOf({ params, query, body });
  return { accountId, operation: client, key, interfaceName, keys, fingerprint };
}

async function replyOnce(handle: RawHandler, input: RawInput, scope: Scope, db: Db): Promise<RawReply> {
  const { answer, headers } = await once(db, scope, async () => secondStage(await handle(input)));
  return { ...answer, headers: { ...answer.headers, ...headers } };
}

async function committed(handle: RawHandler, input: RawInput, db: Db): Promise<RawReply> {
  const result = await handle(input);
  if (typeof result === 'function') return transaction(db, result);
  return 'commit' in result ? result.commit() : result;
}

function secondStage(result: RawReply | RawStage): RawStage {
  if (typeof result === 'function' || 'commit' in result) return result;
  throw new Error('An idempotent or audited operation needs a handler of two stages.');
}

/** Wraps the handler of an audited operation. The log leaves out refusals and previews. */
function audited({ id, route }: Operation, handler: RawHandler, around: Surroundings): RawHandler {
  return async (input) => {
    const write = secondStage(await handler(input));
    const entry = entryOf(id, input);
    // This write creates a record below the path of its operation.
    if (typeof write !== 'function')
      return noted(write, (made) => ({ ...entry, location: `${route.path}/${made}`, status: CREATED }));
    const isOperators = input.ctx.actor?.role === 'operator';
    return async (trx) => {
      // Read the account first, because the write may remove the record.
      const holder = isOperators ? await around.accountOfRecord(trx, route.path, entry.targets) : entry.accountId;
      const reply = await write(trx);
      const { status, headers, actor } = reply;
      const location = headers?.['Location'];
      const accountId = holder ?? newUserAt(location);
      const note = { ...entry, accountId, location, status, ...(actor && auditedActor(actor)) };
      if (!isPreview(reply)) await around.recordAudit(trx, note);
      return reply;
    };
  };
}

const CREATED = 201;

/** True if the answer says that nothing has changed. */
const isPreview = ({ body }: RawReply): boolean =>
  isFields(body) && (body['changed'] === false || body['cancelled'] === false);

/** The id of a user whom an operator has just created. The entry belongs to the new user's log. */
const newUserAt = (location = ''): string | undefined => /\/users\/([^/]+)$/.exec(location)?.[1];

function entryOf(operation: string, { params, body, ctx }: RawInput): NewAuditEntry {
  return {
    ...(ctx.actor && auditedActor(ctx.actor)),
    operation,
    targets: { ...idsIn(params, () => true), ...idsIn(body, isIdName) },
    // Bytes have no fields.
    fields: Buffer.isBuffer(fieldsOf(body)['bytes']) ? [] : Object.keys(fieldsOf(body)),
    requestId: ctx.requestId,
  };
}

/** True for names of record ids. `external_id` is the shipper's own number, so it is not one. */
const isIdName = (name: string): boolean => /(^|_)id$/.test(name) && name !== 'external_id';

function idsIn(values: unknown, isWanted: (name: string) => boolean): Targets {
  const ids = Object.entries(fieldsOf(values)).filter(([name]) => isWanted(name));
  return Object.fromEntries(ids.map(([name, value]) => [name, String(value)]));
}
