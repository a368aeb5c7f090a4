import { sql } from 'kysely';
import type { Actor } from '../../base/actor.js';
import { type Clock, DAY_MS } from '../../base/clock.js';
import { conflict, type FieldError, invalid, notFound } from '../../base/errors.js';
import { currentCalendar, workCalendarOf } from '../../carrier/calendars.js';
import type { Db } from '../../db/connect.js';
import { inPartitionsOf } from '../../db/near.js';
import type { InquiryProblem, RequestKind } from '../../db/tables/changes.js';
import { transaction } from '../../db/transaction.js';
import { FIRST_STATUS } from '../../packages/movement.js';
import type { Package } from '../../packages/package.js';
import { getPackage } from '../../packages/queries.js';
import { addRequest, isPossible } from '../../packages/requests.js';
import type { PackageAnswer } from '../../packages/tasks.js';
import { calendarAt, dayOf } from '../../routing/calendar.js';
import { checkName } from '../check-order.js';
import { lockOrder, toldMore, updateOrder } from '../lock-order.js';

export interface RequestInput {
  kind: RequestKind;
  on?: string;
  until?: string;
  recipient?: { name?: string; phone?: string };
  problem?: InquiryProblem;
  note?: string;
}

interface RequestDeps {
  db: Db;
  clock: Clock;
}

/**
 * Decides about a shipper's request for a package (contracts/guides/behaviour.md#requests). The returned function
 * writes it, after checking the status again. A correction applies at once; in the first status the request is done
 * then. Throws NOT_FOUND, VALIDATION_ERROR. Throws CONFLICT if the status allows no such request, or if one is open.
 */
export async function requestForPackage(
  { db, clock }: RequestDeps,
  actor: Actor,
  key: string,
  input: RequestInput,
): Promise<(db: Db) => Promise<PackageAnswer>> {
  const current = await possiblePackage(db, actor, key, input, clock);
  const errors = [
    ...wrongFields(input),
    ...wrongProblem(input, current),
    ...(await wrongDay(db, input, current, clock)),
  ];
  if (errors.length > 0) throw invalid(errors);
  return (pool) =>
    transaction(pool, async (trx) => {
      await lockOrder(trx, actor, current.orderId);
      const locked = await possiblePackage(trx, actor, current.loggiKey, input, clock);
      const late = wrongProblem(input, locked);
      if (late.length > 0) throw invalid(late);
      await correct(trx, locked, input);
      const { loggiKey, orderId, accountId, status } = locked;
      const { kind, recipient } = input;
      const request = await addRequest(trx, {
        ...{ loggiKey, orderId, accountId, kind },
        day: input.on ?? input.until ?? null,
        name: recipient?.name ?? null,
        phone: recipient?.phone ?? null,
        problem: input.problem ?? null,
        note: input.note ?? null,
        deliveredAt: status.final ? status.since : null,
        applied: (['name', 'phone'] as const).filter((field) => recipient?.[field] !== undefined),
        doneBy: kind === 'correct_recipient' && status.code === FIRST_STATUS ? actor.accountId : null,
      });
      await updateOrder(trx, orderId, toldMore);
      return request;
    });
}

/** Most days after the final status in which inquiries are accepted. */
const MAX_DAYS_AFTER = 90;

async function possiblePackage(db: Db, actor: Actor, key: string, { kind }: RequestInput, clock: Clock) {
  const current = await getPackage(db, actor, key);
  if (!current) throw notFound('package');
  const { status } = current;
  const isOver = status.final && clock().getTime() - status.since.getTime() > MAX_DAYS_AFTER * DAY_MS;
  if (isOver || !isPossible(kind, status))
    throw conflict('request_not_possible', `A package in status ${status.code} takes no request of the kind ${kind}.`);
  return current;
}

/** The field that a kind needs, or the one that it allows. */
const fieldsOf: Readonly<Record<RequestKind, { needed?: keyof RequestInput; allowed?: keyof RequestInput }>> = {
  stop_and_return: {},
  new_attempt: { needed: 'on' },
  hold: { allowed: 'until' },
  correct_recipient: { needed: 'recipient' },
  inquiry: { needed: 'problem' },
};

function wrongFields(input: RequestInput): FieldError[] {
  const { needed, allowed } = fieldsOf[input.kind];
  const others = (['on', 'until', 'recipient', 'problem'] as const).filter(
    (field) => input[field] !== undefined && field !== needed && field !== allowed,
  );
  const strays: FieldError[] = others.map((field) => ({
    field,
    code: 'not_allowed',
    message: `is not for the kind ${input.kind}`,
  }));
  const name = input.recipient?.name;
  if (name !== undefined) strays.push(...checkName({ name }, 'recipient'));
  if (needed === undefined || input[needed] !== undefined) return strays;
  return [{ field: needed, code: 'required', message: `is required for the kind ${input.kind}` }, ...strays];
}

function wrongProblem({ problem }: RequestInput, { status }: Package): FieldError[] {
  if (problem === undefined || (problem === 'late') !== status.final) return [];
  const message = status.final ? 'is for a package that has no final status' : 'is for a package that has ended';
  return [{ field: 'problem', code: 'not_allowed', message }];
}

const MAX_DAYS_AHEAD = 10;

/** Checks the day, by the local time at the address. */
async function wrongDay(db: Db, { on, until }: RequestInput, { place }: Package, clock: Clock): Promise<FieldError[]> {
  const [field, day] = on === undefined ? (['until', until] as const) : (['on', on] as const);
  if (day === undefined) return [];
  const { hours, closed } = await currentCalendar(db);
  const calendar = calendarAt(place, workCalendarOf({ ...hours, closed }));
  const dateIn = (days: number) => dayOf(clock().getTime() + days * DAY_MS, calendar).date;
  const refused = (code: 'too_early' | 'too_late' | 'not_allowed', message: string): FieldError[] => [
    { field, code, message },
  ];
  if (day <= dateIn(0)) return refused('too_early', 'must be tomorrow or later');
  if (day > dateIn(MAX_DAYS_AHEAD)) return refused('too_late', `must be within ${MAX_DAYS_AHEAD} days`);
  // At 15:00 UTC all of Brazil has the same date.
  const isWorkday = dayOf(Date.parse(`${day}T15:00:00Z`), calendar).isWorkday;
  return field === 'on' && !isWorkday ? refused('not_allowed', 'must be a working day of the carrier') : [];
}

async function correct(trx: Db, { loggiKey, recipient }: Package, input: RequestInput): Promise<void> {
  if (!input.recipient) return;
  const { name = recipient.name, phone = recipient.phone } = input.recipient;
  await sql`
    update packages set recipient_name = ${name}, recipient_phone = ${phone}
    where loggi_key = ${loggiKey} and ${inPartitionsOf('loggi_key', [loggiKey])}`.execute(trx);
}
