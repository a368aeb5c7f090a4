import { recordAudit } from '../accounts/audit.js';
import { type Actor, auditedActor, type NewAuditEntry } from '../base/actor.js';
import { fieldsOf, isFields } from '../base/values.js';
import type { Db } from '../db/connect.js';
import { transaction } from '../db/transaction.js';
import { type JointWrite, noted } from '../idempotency/once.js';
import type { Context } from './context.js';

// The schema makes the audit entry for each mutation. The resolver writes it in the transaction of its own changes.

/** Arguments that name the changed record. */
const IDS: ReadonlySet<string> = new Set(['pk', 'loggiKey']);

export function entryOf(operation: string, args: unknown, actor: Actor, requestId: string): NewAuditEntry {
  const { input, ...others } = fieldsOf(args);
  const sent = { ...others, ...fieldsOf(input) };
  const ids = Object.entries(sent).filter(([name]) => IDS.has(name));
  return {
    ...auditedActor(actor),
    operation,
    targets: Object.fromEntries(ids.map(([name, value]) => [name, String(value)])),
    fields: Object.keys(sent),
    requestId,
  };
}

function entryIn({ entry }: Context): NewAuditEntry {
  if (!entry) throw new Error('Only a mutation writes.');
  return entry;
}

/** Writes a mutation in a transaction, together with its audit entry. If nothing has changed, there is no entry. */
export function write<A>(db: Db, context: Context, work: (trx: Db) => Promise<A>): Promise<A> {
  const entry = entryIn(context);
  return transaction(db, async (trx) => {
    const answer = await work(trx);
    if (!isFields(answer) || answer['changed'] !== false) await recordAudit(trx, entry);
    return answer;
  });
}

/** Adds the audit entry of the mutation to the write of a new record. */
export function withEntry<A>(context: Context, creation: JointWrite<A>): JointWrite<A> {
  const entry = entryIn(context);
  return noted(creation, (pk) => ({ ...entry, targets: { pk } }));
}
