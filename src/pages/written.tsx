import { type ComponentChildren, createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { HOUR_MS } from '../base/clock.js';
import { computedOnce } from '../base/values.js';
import type { Location } from '../packages/movement.js';
import { calendarAt, dayOf } from '../routing/calendar.js';
import type { Language, Text } from './texts.js';

export const LanguageContext = createContext<Language>('pt-BR');

/** The language of the page around a component. */
export const useLanguage = (): Language => useContext(LanguageContext);

export function useSay(): (text: Text) => string {
  const language = useLanguage();
  return (text) => text[language];
}

export const Say = ({ text }: { text: Text }) => <>{text[useLanguage()]}</>;

/** The word for a value of the contract. A value without a word is shown unchanged. */
export function Word({ of: words, value }: { of: Partial<Readonly<Record<string, Text>>>; value: string | undefined }) {
  return <>{words[value ?? '']?.[useLanguage()] ?? value}</>;
}

/** A text that must not be translated: the answer of a machine, or a line for a program. */
export function Verbatim({ children }: { children: ComponentChildren }) {
  // Preact's type of `translate` is a boolean, which Preact would not write into the HTML.
  const untranslated: object = { translate: 'no' };
  return <span {...untranslated}>{children}</span>;
}

// Writes times for people: in America/Sao_Paulo unless another zone is given.

const locales = { 'pt-BR': 'pt-BR', en: 'en-GB' } as const satisfies Record<Language, string>;

const made = new Map<string, ReturnType<typeof formatsIn>>();

function formatsIn(language: Language, timeZone: string) {
  const format = (options: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(locales[language], options);
  return {
    date: format({ dateStyle: 'medium', timeZone: 'UTC' }),
    hour: format({ timeStyle: 'short', timeZone }),
    time: format({ dateStyle: 'medium', timeStyle: 'short', timeZone }),
    day: format({ weekday: 'long', day: 'numeric', month: 'long', timeZone: 'UTC' }),
    near: new Intl.RelativeTimeFormat(locales[language], { numeric: 'auto' }),
  };
}

/** Returns the formats of a language and zone. They are kept, since to make one costs far more than to use it. */
function formatsOf(language: Language, timeZone = 'America/Sao_Paulo') {
  const key = `${language} ${timeZone}`;
  const formats = made.get(key) ?? formatsIn(language, timeZone);
  made.set(key, formats);
  return formats;
}

// The `datetime` attribute takes at most milliseconds.
const timeIn = (format: Intl.DateTimeFormat, at: string) => (
  <time dateTime={at.replace(/(?<=\.\d{3})\d+/, '')}>{format.format(new Date(at))}</time>
);

export const DateText = ({ at }: { at: string }) => timeIn(formatsOf(useLanguage()).date, at);

/** Shows a time as “18 de nov. de 2026, 11:03”. */
export const Time = ({ at }: { at: string }) => timeIn(formatsOf(useLanguage()).time, at);

// Writes times for a recipient: on the clocks of the package's destination.

/** The time zone of a clock. It is kept because each event of a history needs it. */
const zoneOfClock = computedOnce((clock: Intl.DateTimeFormat) => clock.resolvedOptions().timeZone);

const zoneOf = (place: Location): string => zoneOfClock(calendarAt(place).clock);

export const localDate = (time: Date, place: Location): string => dayOf(time.getTime(), calendarAt(place)).date;

/** The time of day, as “13:00”. */
export const hourText = (time: Date, place: Location, language: Language): string =>
  formatsOf(language, zoneOf(place)).hour.format(time);

/** Writes a date as “hoje”, “amanhã” or “quarta-feira, 18 de novembro”. */
export function dayText(date: string, place: Location, { now, language }: { now: Date; language: Language }): string {
  const { day, near } = formatsOf(language);
  const days = (Date.parse(date) - Date.parse(localDate(now, place))) / (24 * HOUR_MS);
  return days === 0 || days === 1 ? near.format(days, 'day') : day.format(new Date(date));
}

export const LocalTime = ({ at, place }: { at: Date; place: Location }) =>
  timeIn(formatsOf(useLanguage(), zoneOf(place)).time, at.toISOString());

const months = {
  'pt-BR': new Intl.DateTimeFormat('pt-BR', { month: 'long', year: 'numeric', timeZone: 'UTC' }),
  en: new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' }),
} as const satisfies Record<Language, Intl.DateTimeFormat>;

const NO_MONTH = /^(?!\d{4}-(0[1-9]|1[0-2])$)/;

/** Writes `2026-11` as “novembro de 2026”. Another text is returned unchanged. */
export const monthText = (month: string, language: Language): string =>
  NO_MONTH.test(month) ? month : months[language].format(new Date(`${month}-01T00:00:00Z`));

export const MonthText = ({ of }: { of: string }) => <>{monthText(of, useLanguage())}</>;

const numbers = (options: Intl.NumberFormatOptions): Readonly<Record<Language, Intl.NumberFormat>> => ({
  'pt-BR': new Intl.NumberFormat('pt-BR', options),
  en: new Intl.NumberFormat('en', options),
});

const money = numbers({ style: 'currency', currency: 'BRL' });
const plain = numbers({ maximumFractionDigits: 3 });

/** `1234.50` as “R$ 1.234,50”. */
export const Money = ({ amount }: { amount: string }) => <>{money[useLanguage()].format(Number(amount))}</>;

export const NumberText = ({ of }: { of: number }) => <>{plain[useLanguage()].format(of)}</>;

const KILOMETRE = 1_000;

/** A distance as “120 m” or “1,5 km”. */
export function Metres({ of: metres }: { of: number }) {
  const { format } = plain[useLanguage()];
  return <>{metres < KILOMETRE ? `${format(metres)} m` : `${format(Math.round(metres / 100) / 10)} km`}</>;
}

const saoPauloDay = new Intl.DateTimeFormat('sv-SE', { timeZone: 'America/Sao_Paulo' });

/** The date of a time in São Paulo, `YYYY-MM-DD`. */
export const dayInSaoPaulo = (time: Date): string => saoPauloDay.format(time);

/** Writes values so that a spreadsheet in that language reads them. */
export interface FileWords {
  amount(amount: string | undefined): string;
  /** Writes a time on the clocks of São Paulo. */
  time(at: string | undefined): string;
  date(day: string | undefined): string;
  word(of: Partial<Readonly<Record<string, Text>>>, value: string | undefined): string;
}

const fileTime = new Intl.DateTimeFormat('sv-SE', {
  timeZone: 'America/Sao_Paulo',
  dateStyle: 'short',
  timeStyle: 'short',
});

const turned = (day: string): string => day.replace(/^(\d{4})-(\d{2})-(\d{2})/, '$3/$2/$1');

export function fileWords(language: Language): FileWords {
  const isBrazilian = language === 'pt-BR';
  const dayOf = (text: string) => (isBrazilian ? turned(text) : text);
  return {
    amount: (amount = '') => (isBrazilian ? amount.replace('.', ',') : amount),
    time: (at) => (at === undefined ? '' : dayOf(fileTime.format(new Date(at)))),
    date: (day = '') => dayOf(day),
    word: (words, value = '') => words[value]?.[language] ?? value,
  };
}
