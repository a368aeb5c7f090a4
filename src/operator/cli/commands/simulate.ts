import type { components as Operator } from '../../../../generated/operator.js';
import type { components as Rest } from '../../../../generated/rest.js';
import { bodyOf } from '../answers.js';
import { command, type Mount, type Session } from '../command.js';
import { CommandError, wrongUsage } from '../failures.js';
import type { MovementInput } from '../movement-check.js';
import { whole } from '../options.js';
import { simulate as move, type SimulationPort, type Trip, takenBySandbox, tripOf } from '../simulation.js';

type Statuses = ReadonlyMap<number, Operator['schemas']['CatalogueStatus']>;
type Package = Rest['schemas']['Order']['packages'][number];

// The largest page that the contract allows.
const all = { page_size: 100 };
const LONGEST_PACE = 86_400;

export const simulate: Mount = command<{ pace?: number }>({
  usage: 'simulate <order>',
  summary:
    'Move all packages of an order to the ends of their ways, with some troubles; run again, it goes on where it was.',
  example: 'simulate 01930f61-4c1d-7b02-a7d1-6f3e2d1c0b52 --pace 2',
  options: [whole('--pace <seconds>', 'mean pause between two movements of a package (default: 1)')],
  run: async (session, { pace = 1 }, id) => {
    if (pace > LONGEST_PACE) throw wrongUsage(`--pace is at most ${LONGEST_PACE}.`);
    const order = await bodyOf(session.rest.GET('/api/v1/orders/{id}', { params: { path: { id } } }));
    const statuses = await catalogue(session);
    const trips: Trip[] = [];
    for (const parcel of order.packages) {
      if (statuses.get(parcel.status.code)?.final) session.print.say(`${parcel.tracking_code} has arrived already.`);
      else trips.push(tripOf(order, parcel, await recordedOf(session, parcel)));
    }
    const refused = await run(session, statuses, trips, pace);
    if (refused > 0) throw new CommandError(`Movements refused: ${refused}.`, 1);
  },
});

async function catalogue({ operator }: Session): Promise<Statuses> {
  const { data } = await bodyOf(operator.GET('/operator/v1/package-statuses', { params: { query: all } }));
  return new Map(data.map((status) => [status.code, status]));
}

/** Ids of the movements that a package has behind it. */
async function recordedOf({ operator }: Session, { loggi_key }: Package): Promise<ReadonlySet<string>> {
  const params = { path: { loggi_key }, query: all };
  const { data } = await bodyOf(operator.GET('/operator/v1/packages/{loggi_key}/movements', { params }));
  return new Set(data.map(({ id }) => id));
}

/** Resolves to the number of movements that were refused. */
async function run({ operator, print }: Session, statuses: Statuses, trips: Trip[], pace: number): Promise<number> {
  let refused = 0;
  const send = async (movements: MovementInput[]) =>
    (await bodyOf(operator.POST('/operator/v1/movements', { body: { movements } }))).results;
  const moved: SimulationPort['moved'] = ({ trackingCode }, movement, result) => {
    const { status_code: code, location, happened_at: at } = movement;
    const fate = result.result === 'refused' ? `: refused, ${result.message}` : '';
    if (result.result === 'refused' && !takenBySandbox(result)) refused += 1;
    const name = statuses.get(code)?.high_level_status ?? '';
    const line = `${at.slice(11, 19)}  ${trackingCode}  ${String(code).padStart(2)} ${name}, ${location?.city}/${location?.state}${fate}`;
    print.event({ ...movement, tracking_code: trackingCode, ...result }, line);
  };
  await move(trips, pace, { send, moved });
  return refused;
}
