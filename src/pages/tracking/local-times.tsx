import type { Location } from '../../packages/movement.js';
import { dayOf, HOUR_MS, localClock } from '../../routing/calendar.js';
import type { Language } from '../language.js';
import { useLanguage } from '../page.js';

// Times of a package as its recipient reads them: on the clocks of the municipality that it goes to.

const locales = { 'pt-BR': 'pt-BR', en: 'en-GB' } as const satisfies Record<Language, string>;

const made = new Map<string, ReturnType<typeof formatsIn>>();

function formatsIn(language: Language, timeZone: string) {
  const format = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locales[language], options);
  return {
    hour: format({ timeStyle: 'short', timeZone }),
    time: format({ dateStyle: 'medium', timeStyle: 'short', timeZone }),
    day: format({ weekday: 'long', day: 'numeric', month: 'long', timeZone: 'UTC' }),
    near: new Intl.RelativeTimeFormat(locales[language], { numeric: 'auto' }),
  };
}

/** Makes each format once: that takes many times as long as using it. */
function formatsAt(place: Location, language: Language) {
  const { timeZone } = localClock(place).resolvedOptions();
  const key = `${language} ${timeZone}`;
  const formats = made.get(key) ?? formatsIn(language, timeZone);
  made.set(key, formats);
  return formats;
}

export const localDate = (time: Date, place: Location): string => dayOf(time.getTime(), localClock(place)).date;

/** The time of day, as “13:00”. */
export const hourText = (time: Date, place: Location, language: Language): string =>
  formatsAt(place, language).hour.format(time);

/** A date as “hoje”, “amanhã” or “quarta-feira, 18 de novembro”. */
export function dayText(date: string, place: Location, { now, language }: { now: Date; language: Language }): string {
  const { day, near } = formatsAt(place, language);
  const days = (Date.parse(date) - Date.parse(localDate(now, place))) / (24 * HOUR_MS);
  return days === 0 || days === 1 ? near.format(days, 'day') : day.format(new Date(date));
}

/** A time as “18 de nov. de 2026, 11:03”. */
export function LocalTime({ at, place }: { at: Date; place: Location }) {
  return <time dateTime={at.toISOString()}>{formatsAt(place, useLanguage()).time.format(at)}</time>;
}
