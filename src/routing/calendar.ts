import { LRUCache } from 'lru-cache';

export const HOUR_MS = 60 * 60 * 1_000;
const DAY_MS = 24 * HOUR_MS;

/** A calendar day in America/Sao_Paulo. */
export interface Day {
  /** `YYYY-MM-DD`. */
  date: string;
  /** Unix milliseconds of its noon. Brazil changes its clocks at midnight, so that times of day are counted from noon. */
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

/**
 * National holidays of fixed date, `MM-DD`, and the first year of the latest one: Laws 662/1949, 6.802/1980,
 * 10.607/2002 and 14.759/2023 (Consciência Negra).
 */
const fixedHolidays: Record<string, number> = {
  '01-01': 0,
  '04-21': 0,
  '05-01': 0,
  '09-07': 0,
  '10-12': 0,
  '11-02': 0,
  '11-15': 0,
  '11-20': 2024,
  '12-25': 0,
};

/**
 * Days from Easter on which no delivery is made: Carnival's Monday and Tuesday and Corpus Christi, optional days off by
 * law yet days without bank or postal service, and Good Friday.
 */
const DAYS_FROM_EASTER = new Set([-48, -47, -2, 60]);

const saoPauloHour = new Intl.DateTimeFormat('en-CA', {
  timeZone: 'America/Sao_Paulo',
  hour: '2-digit',
  hourCycle: 'h23',
});

// São Paulo is whole hours from UTC, so that all of an hour is one day there. Asking Intl takes many times as long.
const byHour = new LRUCache<number, Day>({
  max: 1_000,
  memoMethod: (hour) => readDay(new Date(hour * HOUR_MS)),
});

/** The day in America/Sao_Paulo at a time in Unix milliseconds. */
export function dayOf(time: number): Day {
  return byHour.memo(Math.floor(time / HOUR_MS));
}

export function dayAfter({ noon }: Day): Day {
  return dayOf(noon + DAY_MS);
}

/** The day of the first delivery attempt, `YYYY-MM-DD`: that of the arrival, which lies in working hours. */
export function promisedDate(eta: Date): string {
  return dayOf(eta.getTime()).date;
}

function readDay(time: Date): Day {
  const date = saoPauloDate.format(time);
  const midday = new Date(`${date}T15:00:00Z`);
  const day = new Date(`${date}T00:00:00Z`);
  const isHoliday = isFixedHoliday(day) || DAYS_FROM_EASTER.has(daysFromEaster(day));
  const weekday = day.getUTCDay();
  return {
    date,
    noon: midday.getTime() - (Number(saoPauloHour.format(midday)) - 12) * HOUR_MS,
    isBusinessDay: !isHoliday && weekday !== 0 && weekday !== 6,
    isWorkday: !isHoliday && weekday !== 0,
  };
}

function isFixedHoliday(day: Date): boolean {
  const since = fixedHolidays[day.toISOString().slice(5, 10)];
  return since !== undefined && day.getUTCFullYear() >= since;
}

function daysFromEaster(day: Date): number {
  return Math.round((day.getTime() - easter(day.getUTCFullYear()).getTime()) / DAY_MS);
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
