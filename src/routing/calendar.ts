import { LRUCache } from 'lru-cache';

const HOUR_MS = 60 * 60 * 1_000;
const DAY_MS = 24 * HOUR_MS;

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

// São Paulo is whole hours from UTC, so that all of an hour is one day there.
const byHour = new LRUCache<number, string>({
  max: 1_000,
  memoMethod: (hour) => businessDay(new Date(hour * HOUR_MS)),
});

/**
 * The day of the first delivery attempt, `YYYY-MM-DD`: the day of arrival in America/Sao_Paulo or, where that is no
 * business day, the next one that is.
 */
export function promisedDate(eta: Date): string {
  return byHour.memo(Math.floor(eta.getTime() / HOUR_MS));
}

function businessDay(time: Date): string {
  let day = dayInSaoPaulo(time);
  while (!isBusinessDay(day)) day = new Date(day.getTime() + DAY_MS);
  return day.toISOString().slice(0, 10);
}

/** A calendar day as UTC midnight, so that arithmetic on it meets no change of clocks. */
function dayInSaoPaulo(time: Date): Date {
  return new Date(`${saoPauloDate.format(time)}T00:00:00Z`);
}

function isBusinessDay(day: Date): boolean {
  const weekday = day.getUTCDay();
  return weekday !== 0 && weekday !== 6 && !isHoliday(day);
}

function isHoliday(day: Date): boolean {
  const since = fixedHolidays[day.toISOString().slice(5, 10)];
  if (since !== undefined && day.getUTCFullYear() >= since) return true;
  return DAYS_FROM_EASTER.has(Math.round((day.getTime() - easter(day.getUTCFullYear()).getTime()) / DAY_MS));
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
