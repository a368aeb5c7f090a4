import {
  command,
  option,
  type PageOptions,
  pageOptions,
  pageQuery,
  required,
  whole,
  wholeNumber,
} from '../../command.js';
import { bodyOf } from '../client.js';

interface Rates {
  base: string;
  perKm: string;
  perKg: string;
  perExtraStop: string;
  volumetric: number;
}

const rateOptions = [
  required(option('--base <brl>', 'for each order, e.g. 9.90')),
  required(option('--per-km <brl>', 'for each kilometre of the route')),
  required(option('--per-kg <brl>', 'for each kilogram of billable weight')),
  required(option('--per-extra-stop <brl>', 'for each stop beyond the first pickup and delivery')),
  required(whole('--volumetric <cm3>', 'volume in cm³ that is billed as one kilogram')),
];

const bodyWith = ({ base, perKm, perKg, perExtraStop, volumetric }: Rates) => ({
  base,
  per_km: perKm,
  per_kg: perKg,
  per_extra_stop: perExtraStop,
  volumetric_cm3_per_kg: volumetric,
});

export const rateCards = {
  listRateCards: command<PageOptions>({
    usage: 'rates list',
    summary: 'List every version of the rate card, newest first.',
    example: 'rates list',
    options: pageOptions,
    run: async ({ operator, print }, options) => {
      const call = operator.GET('/operator/v1/rate-cards', { params: { query: pageQuery(options) } });
      print.list(await bodyOf(call), {
        version: (card) => card.version,
        base: (card) => card.base,
        'per km': (card) => card.per_km,
        'per kg': (card) => card.per_kg,
        'extra stop': (card) => card.per_extra_stop,
        'cm³ per kg': (card) => card.volumetric_cm3_per_kg,
        since: (card) => card.created_at,
      });
    },
  }),

  getCurrentRateCard: command({
    usage: 'rates current',
    summary: 'Show the rate card in force.',
    example: 'rates current',
    run: async ({ operator, print }) => print.record(await bodyOf(operator.GET('/operator/v1/rate-cards/current'))),
  }),

  getRateCard: command({
    usage: 'rates show <version>',
    summary: 'Show one version of the rate card.',
    example: 'rates show 1',
    run: async ({ operator, print }, _options, version) => {
      const params = { path: { version: wholeNumber(version) } };
      print.record(await bodyOf(operator.GET('/operator/v1/rate-cards/{version}', { params })));
    },
  }),

  addRateCard: command<Rates>({
    usage: 'rates add',
    summary: 'Put a new rate card in force; orders created from now on are priced by it.',
    example: 'rates add --base 9.90 --per-km 1.30 --per-kg 0.95 --per-extra-stop 3.50 --volumetric 6000',
    options: rateOptions,
    run: async ({ operator, print }, rates) =>
      print.record(await bodyOf(operator.POST('/operator/v1/rate-cards', { body: bodyWith(rates) }))),
  }),

  previewRateCard: command<Rates>({
    usage: 'rates preview',
    summary: 'Show what the 100 newest orders would cost by a new rate card; nothing is changed.',
    example: 'rates preview --base 9.90 --per-km 1.30 --per-kg 0.95 --per-extra-stop 3.50 --volumetric 6000',
    options: rateOptions,
    run: async ({ operator, print }, rates) => {
      const preview = await bodyOf(operator.POST('/operator/v1/rate-cards/preview', { body: bodyWith(rates) }));
      const { orders, ...sums } = preview;
      print.record(preview, sums);
      print.rows(orders, {
        order: (each) => each.external_id ?? each.order_id,
        created: (each) => each.created_at,
        packages: (each) => each.package_count,
        now: (each) => each.current_total,
        new: (each) => each.new_total,
      });
    },
  }),
};
