import { LRUCache } from 'lru-cache';

export const HOUR_MS = 60 * 60 * 1_000;
const DAY_MS = 24 * HOUR_MS;

export interface Day {
  date: string;
  /** Unix milliseconds of its noon: clocks are changed at midnight, so times of day are counted from noon. */
  noon: number;
  /** Monday to Friday and no holiday. */
  isBusinessDay: boolean;
  /** A business day, or a Saturday that is no holiday: couriers work. */
  isWorkday: boolean;
}

const saoPauloDate = new Intl.DateTimeFormat('en-CA', {
  timeZone: 'America/Sao_Paulo',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
});

/** National holidays of fixed date, `MM-DD`: Laws 662/1949, 6.802/1980 and 10.607/2002. */
const FIXED_HOLIDAYS = new Set(['01-01', '04-21', '05-01', '09-07', '10-12', '11-02', '11-15', '12-25']);
/** Consciência Negra, a national holiday since 2024: Law 14.759/2023. */
const CONSCIENCE_DAY = '11-20';
const FIRST_CONSCIENCE_YEAR = 2024;

/** Days from Easter without bank or postal service: Carnival's Monday and Tuesday, Good Friday, Corpus Christi. */
const DAYS_FROM_EASTER = new Set([-48, -47, -2, 60]);

const saoPauloHour = new Intl.DateTimeFormat('en-CA', {
  timeZone: 'America/Sao_Paulo',
  hour: '2-digit',
  hourCycle: 'h23',
});

// São Paulo is whole hours from UTC, so every hour lies within one day there. Intl takes many times as long.
const byHour = new LRUCache<number, Day>({
  max: 1_000,
  memoMethod: (hour) => readDay(new Date(hour * HOUR_MS)),
});

export const dayOf = (time: number): Day => byHour.memo(Math.floor(time / HOUR_MS));

export const dayAfter = ({ noon }: Day): Day => dayOf(noon + DAY_MS);

/** The day of the first delivery attempt, `YYYY-MM-DD`. The arrival lies in working hours. */
export const promisedDate = (eta: Date): string => dayOf(eta.getTime()).date;

function readDay(time: Date): Day {
  const date = saoPauloDate.format(time);
  const midday = new Date(`${date}T15:00:00Z`);
  const day = new Date(`${date}T00:00:00Z`);
  const sinceEaster = Math.round((day.getTime() - easter(day.getUTCFullYear()).getTime()) / DAY_MS);
  const isHoliday = isFixedHoliday(day) || DAYS_FROM_EASTER.has(sinceEaster);
  const weekday = day.getUTCDay();
  return {
    date,
    noon: midday.getTime() - (Number(saoPauloHour.format(midday)) - 12) * HOUR_MS,
    isBusinessDay: !isHoliday && weekday !== 0 && weekday !== 6,
    isWorkday: !isHoliday && weekday !== 0,
  };
}

function isFixedHoliday(day: Date): boolean {
  const date = day.toISOString().slice(5, 10);
  return FIXED_HOLIDAYS.has(date) || (date === CONSCIENCE_DAY && day.getUTCFullYear() >= FIRST_CONSCIENCE_YEAR);
}

/** Easter Sunday of the Gregorian calendar as UTC midnight: the "anonymous" computus of Meeus, Jones and Butcher. */
function easter(year: number): Date {
  const golden = year % 19;
  const century = Math.floor(year / 100);
  const ofCentury = year % 100;
  const correction = Math.floor((century - Math.floor((century + 8) / 25) + 1) / 3);
  const epact = (19 * golden + century - Math.floor(century / 4) - correction + 15) % 30;
  const weekday = (32 + 2 * (century % 4) + 2 * Math.floor(ofCentury / 4) - epact - (ofCentury % 4)) % 7;
  const shift = Math.floor((golden + 11 * epact + 22 * weekday) / 451);
  const days = epact + weekday - 7 * shift + 114;
  return new Date(Date.UTC(year, Math.floor(days / 31) - 1, (days % 31) + 1));
}
