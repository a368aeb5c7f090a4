import type { components as Operator } from '../../generated/operator.js';
import { HOUR_MS } from '../../src/base/clock.js';
import { dayOf } from '../../src/routing/calendar.js';
import { between, choose, type Random } from '../../test/support/random.js';

/** Shops of a small carrier and their orders of the last days. The seed decides all of it but the time it is now. */

export interface Shop {
  name: string;
  email: string;
  city: City;
  password: string;
}

export interface City {
  name: string;
  state: string;
  /** A CEP of its centre. */
  postalCode: string;
}

export interface PlannedPackage {
  recipient: { name: string; phone: string };
  address: { address: string };
  instructions?: string;
  dimensions: { width: number; height: number; length: number; weight: number };
  declared_value: string;
  to: City;
}

export interface PlannedOrder {
  shop: Shop;
  /** Unix milliseconds. */
  at: number;
  externalId: string;
  service: 'express' | 'economy';
  packages: PlannedPackage[];
}

const city = (name: string, state: string, postalCode: string): City => ({ name, state, postalCode });
const campinas = city('Campinas', 'SP', '13010-001');
const saoPaulo = city('São Paulo', 'SP', '01310-200');
const santos = city('Santos', 'SP', '11010-150');
const sorocaba = city('Sorocaba', 'SP', '18010-000');

/** A small carrier delivers mostly nearby. */
const destinations: readonly (readonly [weight: number, city: City])[] = [
  [30, saoPaulo],
  [15, campinas],
  [10, santos],
  [8, sorocaba],
  [6, city('Ribeirão Preto', 'SP', '14010-000')],
  [5, city('Rio de Janeiro', 'RJ', '20040-002')],
  [5, city('Belo Horizonte', 'MG', '30130-010')],
  [5, city('Curitiba', 'PR', '80010-000')],
  [3, city('Porto Alegre', 'RS', '90010-150')],
  [3, city('Florianópolis', 'SC', '88010-400')],
  [3, city('Brasília', 'DF', '70040-010')],
  [2, city('Goiânia', 'GO', '74003-010')],
  [2, city('Salvador', 'BA', '40020-000')],
  [1, city('Recife', 'PE', '50010-000')],
  [1, city('Fortaleza', 'CE', '60025-060')],
  [1, city('Belém', 'PA', '66010-000')],
];

/**
 * The carrier serves the South-East and three capitals, one of them on two days a week. Its older orders went further.
 */
export const areas = [
  { name: 'Sudeste', states: ['SP', 'RJ', 'MG', 'ES'] },
  { name: 'Curitiba', municipalities: [4106902] },
  { name: 'Brasília', municipalities: [5300108], weekdays: ['tuesday', 'thursday'], extra_workdays: 1 },
  { name: 'Salvador', municipalities: [2927408], collects: false, services: ['economy'] },
] satisfies Operator['schemas']['ServiceAreaInput'][];

/** An address that they leave out. */
export const REFUSED_ADDRESS = 'Rua da Aurora, 100 - Boa Vista, Recife - PE, 50050-000';

/** Its couriers rest on Christmas Eve, and in São Paulo on the city's own holiday. The days are the next such ones. */
export function calendarFrom(now: number) {
  const next = (day: string): string => {
    const year = new Date(now).getUTCFullYear();
    return `${day >= new Date(now).toISOString().slice(5, 10) ? year : year + 1}-${day}`;
  };
  return {
    collection_cutoff: '11:00',
    closed: [
      { date: next('12-24'), name: 'Véspera de Natal' },
      { date: next('01-25'), name: 'Aniversário de São Paulo', municipality: 3550308 },
    ],
  } satisfies Operator['schemas']['CalendarInput'];
}

const shop = (name: string, email: string, at: City, password: string): Shop => ({ name, email, city: at, password });

/** Their receivers differ: the first answers as it should, the second fails, the third is gone. */
export const shops = {
  listening: shop('Livraria Aurora', 'livraria-aurora@example.com', saoPaulo, 'aurora-estante-71'),
  failing: shop('Café do Ponto', 'cafe-do-ponto@example.com', campinas, 'ponto-moagem-38'),
  gone: shop('Moda Ipê', 'moda-ipe@example.com', santos, 'ipe-amarelo-59'),
} as const;

/** Shares of the orders. */
const shares: readonly (readonly [weight: number, shop: Shop])[] = [
  [45, shops.listening],
  [30, shops.failing],
  [25, shops.gone],
];

const firstNames = 'Ana Bruno Carla Davi Elisa Fábio Gilda Heitor Iara João Lúcia Marcos Nina Otávio Paula Rui'.split(
  ' ',
);
const lastNames = "Souza,Lima,Pereira,da Conceição,Araújo,Nakamura,Sant'Anna,Teixeira,Guimarães,Rocha".split(',');
const streets = ['Rua XV de Novembro', 'Rua Sete de Setembro', 'Avenida Brasil', 'Rua Tiradentes', 'Rua São José'];
const instructions = ['Deixar na portaria.', 'Tocar o interfone duas vezes.', 'Entregar após as 14 h.', 'Loja térrea.'];

export const DAYS = 14;
const FIRST_NUMBER = 1001;

/** Orders of all shops in the last days before `now`, the oldest first, at hours at which people buy. */
export function planOrders(random: Random, now: number, count: number): PlannedOrder[] {
  const hours = openHours(now);
  return Array.from({ length: count }, (_, at) => {
    const hour = hours[Math.floor((at * hours.length) / count)] ?? now;
    const service = between(random, 1, 3) === 1 ? ('economy' as const) : ('express' as const);
    return {
      shop: choose(random, shares, shops.listening),
      at: hour + (between(random, 0, 25) + 30 * (((at * hours.length) / count) % 1)) * 60_000,
      externalId: `pedido-${FIRST_NUMBER + at}`,
      service,
      packages: Array.from({ length: choose(random, sizes, 1) }, () => planPackage(random)),
    };
  });
}

const sizes = [
  [75, 1],
  [18, 2],
  [7, 3],
] as const;

/** Whole hours before `now` in which orders come: 8 to 21, on Sundays and holidays 10 to 13. */
function openHours(now: number): number[] {
  const last = Math.floor(now / HOUR_MS) - 1;
  const hours = Array.from({ length: 24 * DAYS }, (_, at) => (last - 24 * DAYS + 1 + at) * HOUR_MS);
  return hours.filter((hour) => {
    const { noon, isWorkday } = dayOf(hour);
    const fromNoon = (hour - noon) / HOUR_MS;
    return isWorkday ? fromNoon >= -4 && fromNoon < 9 : fromNoon >= -2 && fromNoon < 1;
  });
}

export const one = (random: Random, list: readonly string[]): string => list[between(random, 0, list.length - 1)] ?? '';

function planPackage(random: Random): PlannedPackage {
  const to = choose(random, destinations, saoPaulo);
  const phone = `+55 11 9${between(random, 1000, 9999)}-${between(random, 1000, 9999)}`;
  const street = `${one(random, streets)}, ${between(random, 1, 1999)}`;
  const side = () => between(random, 8, 28);
  return {
    recipient: { name: `${one(random, firstNames)} ${one(random, lastNames)}`, phone },
    address: { address: `${street} - Centro, ${to.name} - ${to.state}, ${to.postalCode}` },
    ...(between(random, 1, 5) === 1 && { instructions: one(random, instructions) }),
    dimensions: { width: side(), height: between(random, 3, 18), length: side(), weight: between(random, 150, 3500) },
    declared_value: `${between(random, 25, 600)}.${between(random, 10, 99)}`,
    to,
  };
}
