import { setTimeout as sleep } from 'node:timers/promises';
import { DELIVERED, type PickupAgency } from '../../packages/movement.js';
import { type CourseStep, courseOf } from '../../packages/sandbox/course.js';
import { command, type Mount, type Session, whole } from '../command.js';
import { CommandError, wrongUsage } from '../errors.js';
import type { AnswerOf } from '../remote/client.js';
import { type MovementInput, type MovementResult, movementSender } from '../remote/movement-import.js';

type Statuses = ReadonlyMap<number, AnswerOf<'getPackageStatus'>>;
type Order = AnswerOf<'getOrder'>;
type Package = Order['packages'][number];

// The maximum page size of the contract.
const all = { page_size: 100 };
const MAX_PACE = 86_400;

export const simulate: Mount = command({
  usage: 'simulate <order>',
  summary:
    'Move all packages of an order to the ends of their ways, with some troubles; run again, it goes on where it was.',
  example: 'pedido-1042 --pace 2',
  options: { pace: whole('--pace <seconds>', 'mean pause between two movements of a package (default: 1)') },
  run: async (session, { pace = 1 }, id) => {
    if (pace > MAX_PACE) throw wrongUsage(`--pace is at most ${MAX_PACE}.`);
    const order = await session.call('getOrder', { path: { id } });
    const statuses = await catalogue(session);
    const trips: Trip[] = [];
    for (const each of order.packages) {
      if (statuses.get(each.status.code)?.final) session.print.say(`${each.tracking_code} has arrived already.`);
      else trips.push(tripOf(order, each, await recordedOf(session, each)));
    }
    const refused = await moveToEnds(session, statuses, trips, pace);
    if (refused > 0) throw new CommandError(`Movements refused: ${refused}.`, 1);
  },
});

async function catalogue({ call }: Session): Promise<Statuses> {
  const { data } = await call('listPackageStatuses', { query: all });
  return new Map(data.map((status) => [status.code, status]));
}

/** The ids of the movements that a package already has. */
async function recordedOf({ call }: Session, { loggi_key }: Package): Promise<ReadonlySet<string>> {
  const { data } = await call('listMovements', { path: { loggi_key }, query: all });
  return new Set(data.map(({ id }) => id));
}

interface Trip {
  trackingCode: string;
  recipientName: string;
  steps: CourseStep[];
  /** Time of the last movement, in milliseconds since 1970. The next one must be later. */
  lastAt: number;
  dueAt: number;
}

/** The rest of a package's course, after its last recorded step. */
function tripOf(order: Order, each: Package, recorded: ReadonlySet<string>): Trip {
  const { loggi_key: loggiKey, resolved_address: to, tracking_code: trackingCode, recipient, status } = each;
  const from = order.pickups[each.pickup_index]?.resolved_address ?? to;
  const [origin, destination] = [placeOf(from), placeOf(to)];
  const steps = courseOf({ loggiKey, origin, destination, postalCode: to.postal_code ?? null });
  const next = steps.findLastIndex(({ id }) => recorded.has(id)) + 1;
  const lastAt = Date.parse(status.updated_at);
  return { trackingCode, recipientName: recipient.name, steps: steps.slice(next), lastAt, dueAt: 0 };
}

const placeOf = ({ city, state }: { city: string; state: string }) => ({ city, state });

/**
 * Moves packages to the ends of their courses. A refused package is left where it is. Returns the number of refusals.
 */
async function moveToEnds(session: Session, statuses: Statuses, trips: Trip[], paceSeconds: number): Promise<number> {
  let refused = 0;
  for (const trip of trips) rest(trip, paceSeconds);
  for (;;) {
    const open = trips.filter(({ steps }) => steps.length > 0);
    if (open.length === 0) return refused;
    const first = Math.min(...open.map(({ dueAt }) => dueAt));
    await sleep(Math.max(0, first - Date.now()));
    const now = Math.max(first, Date.now());
    const due = open.filter(({ dueAt }) => dueAt <= now);
    refused += await moveAll(session, statuses, due);
    for (const trip of due) rest(trip, paceSeconds);
  }
}

function rest(trip: Trip, paceSeconds: number): void {
  trip.dueAt = Date.now() + (trip.steps[0]?.pause ?? 0) * paceSeconds * 1000;
}

async function moveAll(session: Session, statuses: Statuses, trips: readonly Trip[]): Promise<number> {
  const moves = trips.flatMap((trip) => {
    const step = trip.steps.shift();
    return step ? [{ trip, movement: toMovement(trip, step) }] : [];
  });
  const { print } = session;
  const results = await movementSender(session)(moves.map(({ movement }) => movement));
  let refused = 0;
  for (const [at, { trip, movement }] of moves.entries()) {
    const result = await withoutPin(session, movement, results[at]);
    if (!result) continue;
    print.event({ ...movement, tracking_code: trip.trackingCode, ...result }, lineOf(trip, movement, result, statuses));
    // A service in sandbox mode takes the same steps with the same ids, so a taken id is not a refusal.
    if (result.result !== 'refused' || result.field === 'id') continue;
    refused += 1;
    trip.steps = [];
  }
  return refused;
}

type KeyedMovement = MovementInput & { loggi_key: string };

/**
 * If the movement lacks the PIN, overrides the PIN and sends it again, because there is no recipient who could tell it.
 */
async function withoutPin(session: Session, movement: KeyedMovement, result: MovementResult | undefined) {
  if (result?.field !== 'pin') return result;
  const { loggi_key } = movement;
  await session.call('overridePin', { path: { loggi_key }, body: { reason: 'malote simulate' } });
  return (await movementSender(session)([movement]))[0];
}

function lineOf({ trackingCode }: Trip, movement: MovementInput, result: MovementResult, statuses: Statuses): string {
  const { status_code: code, location, happened_at: at } = movement;
  const refusal = result.result === 'refused' ? `: refused, ${result.message}` : '';
  const name = statuses.get(code)?.high_level_status ?? '';
  const place = `${location?.city}/${location?.state}`;
  return `${at.slice(11, 19)}  ${trackingCode}  ${String(code).padStart(2)} ${name}, ${place}${refusal}`;
}

/**
 * Makes a movement at the present time, but after the last one: the clocks of this machine and of the service may
 * differ.
 */
function toMovement(trip: Trip, step: CourseStep): KeyedMovement {
  trip.lastAt = Math.max(Date.now(), trip.lastAt + 1);
  const { id, loggiKey, statusCode, location, actionRequired: action, pickupAgency: agency } = step;
  return {
    id,
    loggi_key: loggiKey,
    status_code: statusCode,
    happened_at: new Date(trip.lastAt).toISOString(),
    ...(location && { location }),
    ...(action && {
      action_required: { reason_label: action.reasonLabel, reason_description: action.reasonDescription },
    }),
    ...(agency && { pickup_agency: toAgency(agency) }),
    ...(statusCode === DELIVERED && { proof: { recipient_name: trip.recipientName } }),
  };
}

const toAgency = ({ postalCode, ...agency }: PickupAgency) => ({ ...agency, postal_code: postalCode });
