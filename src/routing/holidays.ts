const DAY_MS = 24 * 60 * 60 * 1_000;

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
const MOVABLE = new Set([-48, -47, -2, 60]);

/** Easter Sunday of the Gregorian calendar as UTC midnight: the "anonymous" computus of Meeus, Jones and Butcher. */
export function easter(year: number): Date {
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

/** True for a national holiday of Brazil; `day` is UTC midnight of a calendar day. */
export function isNationalHoliday(day: Date): boolean {
  const since = fixedHolidays[day.toISOString().slice(5, 10)];
  if (since !== undefined && day.getUTCFullYear() >= since) return true;
  return MOVABLE.has(Math.round((day.getTime() - easter(day.getUTCFullYear()).getTime()) / DAY_MS));
}
