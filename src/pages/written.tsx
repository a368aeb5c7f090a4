import { type ComponentChildren, createContext } from 'preact';
import { useContext } from 'preact/hooks';
import { HOUR_MS } from '../base/clock.js';
import { computedOnce } from '../base/values.js';
import type { Location } from '../packages/movement.js';
import { calendarAt, dayOf } from '../routing/calendar.js';
import type { Language, Text } from './texts.js';

export const LanguageContext = createContext<Language>('pt-BR');

/** The language of the page that a component is in. */
export const useLanguage = (): Language => useContext(LanguageContext);

export function useSay(): (text: Text) => string {
  const language = useLanguage();
  return (text) => text[language];
}

export const Say = ({ text }: { text: Text }) => <>{text[useLanguage()]}</>;

/** A word for a value of the contract; a value without a word is shown as it is. */
export function Word({ of: words, value }: { of: Partial<Readonly<Record<string, Text>>>; value: string | undefined }) {
  return <>{words[value ?? '']?.[useLanguage()] ?? value}</>;
}

/** Text that nobody translates: the answer of a machine, or a line that a program reads. */
export function Verbatim({ children }: { children: ComponentChildren }) {
  // Preact's types take a boolean, which it does not write.
  const untranslated: object = { translate: 'no' };
  return <span {...untranslated}>{children}</span>;
}

// Times as people read them, in America/Sao_Paulo where no other zone is meant.

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

/** Formats of a language and zone, each made once: that takes many times as long as using it. */
function formatsOf(language: Language, timeZone = 'America/Sao_Paulo') {
  const key = `${language} ${timeZone}`;
  const formats = made.get(key) ?? formatsIn(language, timeZone);
  made.set(key, formats);
  return formats;
}

// HTML takes milliseconds at most.
const timeIn = (format: Intl.DateTimeFormat, at: string) => (
  <time dateTime={at.replace(/(?<=\.\d{3})\d+/, '')}>{format.format(new Date(at))}</time>
);

export const DateText = ({ at }: { at: string }) => timeIn(formatsOf(useLanguage()).date, at);

/** A time as “18 de nov. de 2026, 11:03”. */
export const Time = ({ at }: { at: string }) => timeIn(formatsOf(useLanguage()).time, at);

// Times of a package as its recipient reads them: on the clocks of the municipality that it goes to.

/** The zone of a clock, read once: every event of a history needs it. */
const zoneOfClock = computedOnce((clock: Intl.DateTimeFormat) => clock.resolvedOptions().timeZone);

const zoneOf = (place: Location): string => zoneOfClock(calendarAt(place).clock);

export const localDate = (time: Date, place: Location): string => dayOf(time.getTime(), calendarAt(place)).date;

/** The time of day, as “13:00”. */
export const hourText = (time: Date, place: Location, language: Language): string =>
  formatsOf(language, zoneOf(place)).hour.format(time);

/** A date as “hoje”, “amanhã” or “quarta-feira, 18 de novembro”. */
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

/** `2026-11` as “novembro de 2026”; another text as it is. */
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

/** The day on the clocks of São Paulo, `YYYY-MM-DD`. */
export const dayInSaoPaulo = (time: Date): string => saoPauloDay.format(time);

/** Values as a spreadsheet of a language reads them, with the words of that language. */
export interface FileWords {
  amount(amount: string | undefined): string;
  /** On the clocks of São Paulo. */
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
