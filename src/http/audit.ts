import type { NewAuditEntry } from '../base/actor.js';
import type { Db } from '../db/connect.js';
import type { RawHandler, RawInput, RawReply } from './handler.js';
import type { Operation } from './operation.js';

export type RecordAudit = (db: Db, entry: NewAuditEntry) => Promise<void>;

/**
 * The handler of an audited operation, which writes the log's entry in the transaction of what it does: what was answered is in
 * the log, what is in the log was done. A refusal does nothing and is not in it, nor is what a customer does.
 */
export function audited(operation: Operation, handler: RawHandler, recordAudit: RecordAudit): RawHandler {
  if (!operation.route.audited) return handler;
  return async (input) => {
    const write = await handler(input);
    if (typeof write !== 'function') throw new Error('An audited operation needs a handler of two stages.');
    if (input.ctx.actor?.role !== 'operator') return write;
    return async (trx) => {
      const reply = await write(trx);
      await recordAudit(trx, entryOf(operation.id, input, reply));
      return reply;
    };
  };
}

function entryOf(operation: string, { params, body, ctx }: RawInput, { status, headers }: RawReply): NewAuditEntry {
  return {
    actorId: ctx.actor?.accountId,
    keyId: ctx.actor?.key?.id,
    operation,
    targets: { ...idsIn(params, () => true), ...idsIn(body, isIdName) },
    location: headers?.['Location'],
    fields: Object.keys(Object(body)),
    status,
    requestId: ctx.requestId,
  };
}

const isIdName = (name: string): boolean => /(^|_)id$/.test(name);

/** Those values that name records: each path parameter, and of a body's fields the ids. */
function idsIn(values: unknown, isWanted: (name: string) => boolean): Record<string, string> {
  const ids = Object.entries<unknown>(Object(values)).filter(([name]) => isWanted(name));
  return Object.fromEntries(ids.map(([name, value]) => [name, String(value)]));
}
