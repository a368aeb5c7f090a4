import type { components } from '../../../generated/rest.js';
import { DAY_MS } from '../../base/clock.js';
import type { Described } from './schemas.js';

type Schemas = components['schemas'];
type Package = Pick<Schemas['PackageDetail'], 'status' | 'promised_date' | 'attempts'>;

export interface Lateness {
  late_days: number;
  unchanged_days: number;
  advice: string;
}

export const latenessSchema: { readonly [Name in keyof Lateness]: Described<Lateness[Name]> } = {
  late_days: { type: 'integer', minimum: 0, description: 'Whole days after the promised date; 0 when it is in time.' },
  unchanged_days: { type: 'integer', minimum: 0, description: 'Whole days in its status, while it is under way.' },
  advice: { type: 'string', description: 'What to do.' },
};

/** A package under way is stuck after this many days in one status. */
const STUCK_DAYS = 3;

/**
 * Advice by status code, for statuses that `final` and `stage` do not explain. The operator may add more such statuses.
 */
const byCode: Readonly<Record<number, string>> = {
  5: 'It was delivered.',
  7: 'It is on its way back to the sender.',
  8: 'It was taken back to the sender: order anew if it shall be sent again.',
  9: 'It cannot be found at present. It may turn up: inquire with ask_carrier, and tell the recipient.',
  18: 'It could not be delivered. There will be another attempt: make sure that the recipient knows, and that the address and instructions are right. ask_carrier asks for another day.',
};

/** Writes the day of a time in São Paulo, `YYYY-MM-DD`. */
const saoPauloDay = new Intl.DateTimeFormat('en-CA', {
  timeZone: 'America/Sao_Paulo',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
});

/** Says how late a package is at the time `now` (Unix milliseconds). */
export function latenessOf({ status, promised_date: promised }: Package, now: number): Lateness {
  const since = Date.parse(status.updated_at);
  const isOver = status.final === true;
  const day = saoPauloDay.format(isOver ? since : now);
  const unchanged = isOver ? 0 : wholeDays(now - since);
  return {
    late_days: wholeDays(Date.parse(day) - Date.parse(promised)),
    unchanged_days: unchanged,
    advice: byCode[status.code] ?? adviceOn(status, unchanged),
  };
}

/** Advice on any other status. `unchanged` is the number of whole days in this status. */
function adviceOn(status: Package['status'], unchanged: number): string {
  if (status.stage === 'cancelled') return 'It was cancelled: nothing more will happen.';
  if (status.final) return 'Its way has ended: nothing more will happen. The name of its status says how.';
  if (status.action_required)
    return 'It waits for its shipper: status.action_required says why. Correct phone, address or instructions, or leave a note, with answer_problem.';
  if (status.pickup_agency)
    return 'It waits at a postal agency: tell the recipient to fetch it at status.pickup_agency.';
  if (status.stage === 'created')
    return 'It has not been collected yet. If the pickup was due, ask the carrier, naming the tracking code and the address of the pickup.';
  return unchanged >= STUCK_DAYS
    ? 'It is stuck: inquire with ask_carrier.'
    : 'It is on its way; nothing needs to be done.';
}

const wholeDays = (ms: number): number => Math.max(0, Math.floor(ms / DAY_MS));
