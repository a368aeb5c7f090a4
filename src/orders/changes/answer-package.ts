import type { Actor } from '../../base/actor.js';
import { conflict, invalid, invalidField, notFound } from '../../base/errors.js';
import type { Place } from '../../base/place.js';
import type { Db } from '../../db/connect.js';
import { inPartitionsOf } from '../../db/near.js';
import { transaction } from '../../db/transaction.js';
import type { Package } from '../../packages/package.js';
import { getPackage } from '../../packages/queries.js';
import { type Address, type Stop, stopRow } from '../../packages/stop.js';
import { addPackageAnswer, type CorrectedField, countOpenAnswers, type PackageAnswer } from '../../packages/tasks.js';
import { placeError } from '../check-places.js';
import { lockOrder, toldMore, updateOrder } from '../lock-order.js';
import { locateAddress } from '../order-facts.js';
import type { PlanOrderDeps } from '../plan-order.js';
import { noteAddressChange } from './address-history.js';

/** A shipper's answer about a package whose status asks for one. At least one field is set. */
export interface AnswerInput {
  phone?: string;
  address?: Address;
  instructions?: string;
  note?: string;
}

const MAX_OPEN = 10;

/**
 * Decides about an answer to a status with `actionRequired` (contracts/guides/behaviour.md#changes-and-returns). The
 * returned function writes it. Throws NOT_FOUND and VALIDATION_ERROR. Throws CONFLICT if the package needs no answer,
 * or if too many answers wait.
 */
export async function answerPackage(
  { db, planning }: Pick<PlanOrderDeps, 'db' | 'planning'>,
  actor: Actor,
  loggiKey: string,
  input: AnswerInput,
): Promise<(db: Db) => Promise<PackageAnswer>> {
  if (correctedIn(input).length === 0 && input.note === undefined) {
    const message = 'must have at least one of: phone, address, instructions, note';
    throw invalidField('body', 'required', message);
  }
  const { orderId, place: delivery } = await waitingPackage(db, actor, loggiKey);
  const located = input.address && (await locateAddress(planning.geocoder, input.address));
  if (located && !located.ok) throw invalid([placeError(located, 'address')]);
  if (input.address?.location && !inPartitions(located?.place, delivery)) {
    const message = 'is taken only for an address in the municipality of the delivery';
    throw invalidField('address.location', 'not_allowed', message);
  }
  return (pool) =>
    transaction(pool, async (trx) => {
      await lockOrder(trx, actor, orderId);
      const waiting = await waitingPackage(trx, actor, loggiKey);
      if ((await countOpenAnswers(trx, loggiKey)) >= MAX_OPEN) throw tooManyAnswers();
      const applied = await correct(trx, actor, waiting, input, located?.place);
      await updateOrder(trx, orderId, toldMore);
      const { accountId } = waiting;
      const { phone = null, address = null, instructions = null, note = null } = input;
      return addPackageAnswer(trx, { loggiKey, orderId, accountId, phone, address, instructions, note, applied });
    });
}

const correctedIn = (input: AnswerInput): CorrectedField[] =>
  (['phone', 'address', 'instructions'] as const).filter((field) => input[field] !== undefined);

const tooManyAnswers = () =>
  conflict('answers_waiting', `${MAX_OPEN} answers about the package wait for the operator already.`);

async function waitingPackage(db: Db, actor: Actor, loggiKey: string): Promise<Package> {
  const current = await getPackage(db, actor, loggiKey);
  if (!current) throw notFound('package');
  if (!current.status.actionRequired)
    throw conflict('no_answer_needed', 'The package waits for no answer: its status requires no action.');
  return current;
}

const inPartitions = (place: Place | undefined, delivery: Place): boolean =>
  place?.city === delivery.city && place.state === delivery.state;

/** Writes corrections and resolves to their fields. Leaves an address in another municipality to the operator. */
async function correct(
  trx: Db,
  actor: Actor,
  current: Package,
  input: AnswerInput,
  place: Place | undefined,
): Promise<CorrectedField[]> {
  const staysNear = inPartitions(place, current.place);
  const applied = correctedIn(input).filter((field) => field !== 'address' || staysNear);
  if (applied.length === 0) return applied;
  const { loggiKey, orderId, accountId, waypoint, recipient } = current;
  const to = place && staysNear ? input.address : undefined;
  const placed = to && place ? { address: to, place } : { address: current.address, place: current.place };
  const instructions = input.instructions ?? current.instructions;
  const stop: Stop = { ...placed, waypoint, ...(instructions !== undefined && { instructions }) };
  if (to) await noteAddressChange(trx, actor, { loggiKey, orderId, accountId, from: current.address, to });
  await trx
    .updateTable('packages')
    .set({ ...stopRow(stop), recipient_phone: input.phone ?? recipient.phone })
    .where('loggi_key', '=', loggiKey)
    .where(inPartitionsOf('loggi_key', [loggiKey]))
    .execute();
  return applied;
}
