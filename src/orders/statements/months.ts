import { DAY_MS } from '../../base/clock.js';

/** A month in America/Sao_Paulo. */
export interface Month {
  /** `YYYY-MM`. */
  name: string;
  from: Date;
  /** The first moment after the month. */
  until: Date;
  /** The time at which the month's statements close: the start of the fifth day after the month. */
  closesAt: Date;
}

const saoPaulo = new Intl.DateTimeFormat('sv-SE', {
  timeZone: 'America/Sao_Paulo',
  dateStyle: 'short',
  timeStyle: 'medium',
});

/** The time in São Paulo, `YYYY-MM-DD HH:MM:SS`. */
export const saoPauloTime = (at: Date): string => saoPaulo.format(at);

const MONTH = /^\d{4}-(0[1-9]|1[0-2])$/;
const DAYS_OPEN = 4;

/** Parses the name of a month. Throws RangeError for any other text. */
export function monthNamed(name: string): Month {
  if (!MONTH.test(name)) throw new RangeError(`no month: ${name}`);
  const [year = 0, number = 0] = name.split('-').map(Number);
  const until = startOf(Date.UTC(year, number));
  return {
    name,
    from: startOf(Date.UTC(year, number - 1)),
    until,
    closesAt: startOf(Date.UTC(year, number) + DAYS_OPEN * DAY_MS),
  };
}

export const monthAt = (at: Date): Month => monthNamed(saoPauloTime(at).slice(0, 7));

export const monthAfter = ({ until }: Month): Month => monthAt(until);

/** The first moment of a day in São Paulo. The day is given as midnight UTC. */
function startOf(midnight: number): Date {
  const local = Date.parse(`${saoPauloTime(new Date(midnight)).replace(' ', 'T')}Z`);
  return new Date(midnight - (local - midnight));
}
