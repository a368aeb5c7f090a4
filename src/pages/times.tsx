import type { Language } from './language.js';
import { useLanguage } from './page.js';

// Times as people read them, in America/Sao_Paulo. Making a format takes many times as long as using it.

type Formats = Readonly<Record<Language, Intl.DateTimeFormat>>;

const formats = (options: Intl.DateTimeFormatOptions): Formats => ({
  'pt-BR': new Intl.DateTimeFormat('pt-BR', options),
  en: new Intl.DateTimeFormat('en-GB', options),
});

const dateFormats = formats({ dateStyle: 'medium', timeZone: 'UTC' });
const timeFormats = formats({ dateStyle: 'medium', timeStyle: 'short', timeZone: 'America/Sao_Paulo' });

const written =
  (byLanguage: Formats) =>
  ({ at }: { at: string }) => <time dateTime={at}>{byLanguage[useLanguage()].format(new Date(at))}</time>;

export const DateText = written(dateFormats);

/** A time as “18 de nov. de 2026, 11:03”. */
export const Time = written(timeFormats);

type Numbers = Readonly<Record<Language, Intl.NumberFormat>>;

const numbers = (options: Intl.NumberFormatOptions): Numbers => ({
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
export const Metres = ({ of: metres }: { of: number }) =>
  metres < KILOMETRE ? (
    <>
      <NumberText of={metres} /> m
    </>
  ) : (
    <>
      <NumberText of={Math.round(metres / 100) / 10} /> km
    </>
  );
