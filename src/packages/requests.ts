import { sql } from 'kysely';
import { conflict } from '../base/errors.js';
import { newId } from '../base/ids.js';
import type { Db } from '../db/connect.js';
import { inPartitionsOf } from '../db/near.js';
import { row } from '../db/row.js';
import type { CorrectedField, InquiryProblem, RequestKind } from '../db/tables/changes.js';
import type { OrderStatus } from '../db/tables/database.js';
import type { PackageAnswer } from './tasks.js';

// A shipper's request about a package is a task of the operator. Requests and answers share one table.

/** Statuses in which a request of each kind is possible: `x-possible-in` of contracts/openapi.yaml. */
export const possibleIn: Readonly<Record<RequestKind, readonly number[]>> = {
  stop_and_return: [3, 6, 10, 11, 14, 17, 18],
  new_attempt: [6, 10, 17, 18],
  hold: [3, 6, 11, 14, 17, 18],
  correct_recipient: [1, 3, 6, 10, 11, 14, 17, 18],
  inquiry: [3, 5, 6, 7, 8, 9, 10, 11, 14, 17, 18],
};

/** The statuses of the first catalogue. A code that an operator added counts like the code of its stage. */
const firstCodes: readonly number[] = [1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 14, 17, 18];
const codeOfStage: Readonly<Record<OrderStatus, number>> = {
  created: 1,
  processing: 3,
  out_for_delivery: 11,
  completed: 5,
  cancelled: 2,
};

export const isPossible = (kind: RequestKind, { code, stage }: { code: number; stage: OrderStatus }): boolean =>
  possibleIn[kind].includes(firstCodes.includes(code) ? code : codeOfStage[stage]);

/** A request in the form of the contracts of REST and of the operator's interface. */
export const requestBody = (request: PackageAnswer) => ({
  id: request.id,
  loggi_key: request.loggi_key,
  kind: request.kind,
  state: request.completed_at ? ('done' as const) : ('open' as const),
  day: request.day ?? undefined,
  recipient: recipientBody(request),
  problem: request.problem ?? undefined,
  note: request.note ?? undefined,
  created_at: request.created_at.toISOString(),
  completed_at: request.completed_at?.toISOString(),
  completion_note: request.completion_note ?? undefined,
  completed_by_movement: request.movement_id ?? undefined,
});

const recipientBody = ({ kind, recipient_name: name, phone }: PackageAnswer) =>
  kind === 'correct_recipient' ? { name: name ?? undefined, phone: phone ?? undefined } : undefined;

export interface NewRequest {
  loggiKey: string;
  orderId: string;
  accountId: string;
  kind: RequestKind;
  day: string | null;
  name: string | null;
  phone: string | null;
  problem: InquiryProblem | null;
  note: string | null;
  /** The time at which the package got its final status, or null. */
  deliveredAt: Date | null;
  /** Corrections that were applied to the package at once. */
  applied: CorrectedField[];
  /** The account that completed the request at once. Null if the operator has to complete it. */
  doneBy: string | null;
}

/**
 * Adds a request about a locked package, with the present proof of its delivery. Throws CONFLICT if the package has an
 * open request of the kind.
 */
export async function addRequest(trx: Db, request: NewRequest): Promise<PackageAnswer> {
  const { loggiKey, deliveredAt } = request;
  const proof = sql<Buffer | null>`(select facts from delivery_proofs where loggi_key = ${loggiKey})`;
  const values = row<'package_answers'>({
    id: newId(),
    loggi_key: loggiKey,
    order_id: request.orderId,
    account_id: request.accountId,
    kind: request.kind,
    day: request.day,
    recipient_name: request.name,
    phone: request.phone,
    problem: request.problem,
    note: request.note,
    proof_facts: deliveredAt ? proof : null,
    delivered_at: deliveredAt,
    applied: request.applied,
    ...(request.doneBy !== null && { completed_at: sql<Date>`now()` }),
    ...{ address: null, complement: null, instructions: null },
    ...{ completed_by: request.doneBy, completion_note: null, movement_id: null },
  });
  const added = await trx
    .insertInto('package_answers')
    .values(values)
    .onConflict((other) => other.doNothing())
    .returningAll()
    .executeTakeFirst();
  if (!added) throw conflict('request_open', `A request of the kind ${request.kind} about the package is open.`);
  await noteChange(trx, loggiKey);
  return added;
}

/** Makes lists of changes show the package again. */
export async function noteChange(trx: Db, loggiKey: string): Promise<void> {
  const ofPackage = sql`loggi_key = ${loggiKey} and ${inPartitionsOf('loggi_key', [loggiKey])}`;
  await sql`update packages set seq = seq where ${ofPackage}`.execute(trx);
}
