import { sql } from 'kysely';
import { type Centavos, formatMoney } from '../../base/money.js';
import { cardsInUse } from '../../carrier/account-cards.js';
import { price } from '../../carrier/pricing.js';
import { oneRow } from '../../db/one-row.js';
import { inForceSql } from '../../db/versions.js';
import type { Checks, Patient, Seen } from './finding.js';

/** Checks the rules of the carrier: prices and days off. */
export const carrierChecks: Checks<Patient> = {
  prices: async ({ db }) => {
    const route = { courierMetres: FAR_METRES, pickupCount: 1 };
    const costs = (await cardsInUse(db)).map((card) => {
      const { totalCentavos } = price(card, 'express', route, [{ ...oneKilogram, directMetres: FAR_METRES }]);
      return { card, totalCentavos, isDear: !card.zones && totalCentavos > DEAR };
    });
    const shown = costs.find(({ isDear }) => isDear) ?? costs[0];
    if (!shown) throw new Error('no rate card is in use');
    const { card, totalCentavos, isDear } = shown;
    const advice =
      'It has no zones, so each kilometre is paid as a courier\'s: try "malote rates preview --zones <file>".';
    return {
      seen: `rate card ${card.version}: 1 kg over ${FAR_METRES / 1000} km costs R$ ${formatMoney(totalCentavos)}`,
      warn: isDear && advice,
    };
  },

  calendar: async ({ db }) => daysOffSeen(await oneRow(db, daysOff)),
};

/** The distance from São Paulo to Manaus. */
const FAR_METRES = 3_500_000;
const DEAR: Centavos = 50_000;
const size = { width: 10, height: 10, length: 10, weight: 1_000 };
const oneKilogram = { dimensions: size, pickupIndex: 0, declaredCentavos: null };

interface DaysOff {
  version: number;
  /** Number of the month, from 1. */
  month: number;
  year: number;
  /** Number of own days off in this year, and in the next. */
  here: number;
  next: number;
}

const YEARS_END = `(date_trunc('year', today) + interval '1 year') at time zone 'America/Sao_Paulo'`;

/** Counts own days off in the calendar that will be in force at the end of the year. */
const daysOff = sql<DaysOff>`
  select version, date_part('month', today)::integer as month, date_part('year', today)::integer as year,
    count(day) filter (where date_part('year', day) = date_part('year', today))::integer as here,
    count(day) filter (where date_part('year', day) = date_part('year', today) + 1)::integer as next
  from (select now() at time zone 'America/Sao_Paulo' as today) clock,
    lateral (${sql.raw(inForceSql('calendars', 'version, closed', YEARS_END))}) calendar
  left join lateral (select (jsonb_array_elements(closed) ->> 'date')::date as day) days on true
  group by version, today`;

const DECEMBER = 12;

/** Warns in December if the next year has no own days off. A carrier without any in this year gets no warning. */
export function daysOffSeen({ version, month, year, here, next }: DaysOff): Seen {
  const advice = `Add the days off of ${year + 1}: "malote calendars add <file>". Promises count on couriers on all workdays.`;
  return {
    seen: `calendar ${version}: ${here} own days off in ${year}, ${next} in ${year + 1}`,
    warn: month === DECEMBER && here > 0 && next === 0 && advice,
  };
}
