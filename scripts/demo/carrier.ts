import { between, choose, type Random } from '../../test/support/random.js';

/**
 * A day of a small carrier: orders of its shops, their recipients, and how far each package gets. The seed decides all
 * of it.
 */

export interface Shop {
  name: string;
  email: string;
  city: City;
}

interface City {
  name: string;
  state: string;
  /** A CEP of its centre. */
  postalCode: string;
}

interface PlannedPackage {
  recipient: { name: string; phone: string };
  address: { address: string };
  dimensions: { width: number; height: number; length: number; weight: number };
  to: City;
  way: Way;
}

export interface PlannedOrder {
  shop: Shop;
  externalId: string;
  packages: PlannedPackage[];
  isCancelled: boolean;
}

const city = (name: string, state: string, postalCode: string): City => ({ name, state, postalCode });
const campinas = city('Campinas', 'SP', '13010-001');
const saoPaulo = city('São Paulo', 'SP', '01310-200');
const santos = city('Santos', 'SP', '11010-150');
const sorocaba = city('Sorocaba', 'SP', '18010-000');

/** Most of what a small carrier delivers stays near. */
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

const shop = (name: string, email: string, at: City): Shop => ({ name, email, city: at });

/**
 * Their receivers differ: the first answers as it should, the second fails, the third is gone, the others have none.
 */
export const shops = {
  listening: shop('Livraria Aurora', 'livraria-aurora@example.com', saoPaulo),
  failing: shop('Café do Ponto', 'cafe-do-ponto@example.com', campinas),
  gone: shop('Moda Ipê', 'moda-ipe@example.com', santos),
  bicycles: shop('Bicicletas Serra', 'bicicletas-serra@example.com', sorocaba),
  plants: shop('Plantas & Cia', 'plantas-e-cia@example.com', saoPaulo),
} as const;

/** Shares of the day's orders. */
const sizes: readonly (readonly [weight: number, shop: Shop])[] = [
  [30, shops.listening],
  [15, shops.failing],
  [10, shops.gone],
  [25, shops.bicycles],
  [20, shops.plants],
];

/** Where a package is when it gets a status. */
type Place = 'origin' | 'destination';
type Way = readonly (readonly [statusCode: number, place: Place])[];

const collected: Way = [[14, 'origin']];
const based: Way = [...collected, [17, 'origin']];
const travelling: Way = [...based, [3, 'origin']];
const arrived: Way = [...travelling, [17, 'destination']];
const out: Way = [...arrived, [11, 'destination']];
const absent: Way = [...out, [18, 'destination']];
const turned: Way = [...absent, [11, 'destination'], [18, 'destination'], [7, 'destination']];

/** Ends in each status but those of an order: created, and cancelled. */
const ways: readonly (readonly [weight: number, way: Way])[] = [
  [8, []],
  [8, collected],
  [8, based],
  [8, travelling],
  [8, arrived],
  [14, out],
  [30, [...out, [5, 'destination']]],
  [5, absent],
  [4, [...arrived, [6, 'destination']]],
  [2, [...absent, [10, 'destination']]],
  [2, turned],
  [2, [...turned, [17, 'origin'], [8, 'origin']]],
  [1, [...based, [9, 'origin']]],
];

const firstNames = [
  'Ana',
  'Bruno',
  'Carla',
  'Davi',
  'Elisa',
  'Fábio',
  'Gilda',
  'Heitor',
  'Iara',
  'João',
  'Lúcia',
  'Otávio',
];
const lastNames = [
  'Souza',
  'Lima',
  'Pereira',
  'da Conceição',
  'Araújo',
  'Nakamura',
  "Sant'Anna",
  'Teixeira',
  'Guimarães',
];
const streets = ['Rua XV de Novembro', 'Rua Sete de Setembro', 'Avenida Brasil', 'Rua Tiradentes', 'Rua São José'];

const FIRST_NUMBER = 1001;
const ONE_IN_CANCELLED = 25;

/**
 * Orders of all shops. The first packages go each of the ways once, so that every status is there however few they are.
 */
export function planDay(random: Random, count: number): PlannedOrder[] {
  const once = ways.map(([, way]) => way);
  const one = (list: readonly string[]): string => list[between(random, 0, list.length - 1)] ?? '';
  const plan = (): PlannedPackage => {
    const to = choose(random, destinations, saoPaulo);
    const phone = `+55 11 9${between(random, 1000, 9999)}-${between(random, 1000, 9999)}`;
    const street = `${one(streets)}, ${between(random, 1, 1999)}`;
    const side = () => between(random, 5, 40);
    return {
      recipient: { name: `${one(firstNames)} ${one(lastNames)}`, phone },
      address: { address: `${street} - Centro, ${to.name} - ${to.state}, ${to.postalCode}` },
      dimensions: { width: side(), height: side(), length: side(), weight: between(random, 100, 8000) },
      to,
      way: once.shift() ?? choose(random, ways, []),
    };
  };
  return Array.from({ length: count }, (_, at) => {
    const mayBeCancelled = once.length === 0;
    return {
      shop: choose(random, sizes, shops.listening),
      externalId: `pedido-${FIRST_NUMBER + at}`,
      packages: Array.from({ length: between(random, 1, 4) }, plan),
      isCancelled: mayBeCancelled && between(random, 1, ONE_IN_CANCELLED) === 1,
    };
  });
}
