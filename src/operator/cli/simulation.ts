import { setTimeout as sleep } from 'node:timers/promises';
import type { components as Operator } from '../../../generated/operator.js';
import type { components as Rest } from '../../../generated/rest.js';
import { type JourneyStep, journeyOf } from '../../packages/sandbox/journey.js';
import type { MovementInput } from './movement-check.js';

type MovementResult = Operator['schemas']['MovementResult'];
type Order = Rest['schemas']['Order'];
type Package = Order['packages'][number];

/** A package that is being moved. */
export interface Trip {
  trackingCode: string;
  /** What lies before it. */
  steps: JourneyStep[];
  /** Milliseconds since 1970: nothing that happened before its last movement may follow. */
  lastAt: number;
  dueAt: number;
}

export interface SimulationPort {
  /** Records movements; a result for each, in their order. */
  send(movements: MovementInput[]): Promise<readonly MovementResult[]>;
  moved(trip: Trip, movement: MovementInput, result: MovementResult): void;
}

/** The rest of a package's journey, after the last of its steps that has been recorded. */
export function tripOf(order: Order, parcel: Package, recorded: ReadonlySet<string>): Trip {
  const { loggi_key: loggiKey, resolved_address: to, tracking_code: trackingCode, status } = parcel;
  const from = order.pickups[parcel.pickup_index]?.resolved_address ?? to;
  const steps = journeyOf({
    loggiKey,
    origin: placeOf(from),
    destination: placeOf(to),
    postalCode: to.postal_code ?? null,
  });
  const next = steps.findLastIndex(({ id }) => recorded.has(id)) + 1;
  return { trackingCode, steps: steps.slice(next), lastAt: Date.parse(status.updated_at), dueAt: 0 };
}

const placeOf = ({ city, state }: { city: string; state: string }) => ({ city, state });

/** Moves packages to the ends of their journeys; those that are refused are left where they are. */
export async function simulate(trips: readonly Trip[], paceSeconds: number, port: SimulationPort): Promise<void> {
  for (const trip of trips) rest(trip, paceSeconds);
  for (;;) {
    const open = trips.filter(({ steps }) => steps.length > 0);
    if (open.length === 0) return;
    const first = Math.min(...open.map(({ dueAt }) => dueAt));
    await sleep(Math.max(0, first - Date.now()));
    const now = Math.max(first, Date.now());
    const due = open.filter(({ dueAt }) => dueAt <= now);
    await moveAll(due, port);
    for (const trip of due) rest(trip, paceSeconds);
  }
}

function rest(trip: Trip, paceSeconds: number): void {
  trip.dueAt = Date.now() + (trip.steps[0]?.pause ?? 0) * paceSeconds * 1000;
}

async function moveAll(trips: readonly Trip[], port: SimulationPort): Promise<void> {
  const moves = trips.flatMap((trip) => {
    const step = trip.steps.shift();
    return step ? [{ trip, movement: toMovement(trip, step) }] : [];
  });
  const results = await port.send(moves.map(({ movement }) => movement));
  for (const [at, { trip, movement }] of moves.entries()) {
    const result = results[at];
    if (!result) continue;
    port.moved(trip, movement, result);
    if (result.result === 'refused' && !takenBySandbox(result)) trip.steps = [];
  }
}

/** A service in sandbox mode takes the same steps, under the same ids. */
export const takenBySandbox = ({ result, field }: MovementResult): boolean => result === 'refused' && field === 'id';

/** The clocks of this machine and of the service may differ. */
function toMovement(trip: Trip, { pause: _, ...step }: JourneyStep): MovementInput {
  trip.lastAt = Math.max(Date.now(), trip.lastAt + 1);
  const { id, loggiKey, statusCode, location, actionRequired, pickupAgency } = step;
  return {
    id,
    loggi_key: loggiKey,
    status_code: statusCode,
    happened_at: new Date(trip.lastAt).toISOString(),
    ...(location && { location }),
    ...(actionRequired && {
      action_required: {
        reason_label: actionRequired.reasonLabel,
        reason_description: actionRequired.reasonDescription,
      },
    }),
    ...(pickupAgency && {
      pickup_agency: {
        address: pickupAgency.address,
        city: pickupAgency.city,
        state: pickupAgency.state,
        postal_code: pickupAgency.postalCode,
      },
    }),
  };
}
