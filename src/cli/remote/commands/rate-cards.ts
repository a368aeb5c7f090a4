import { operation, table } from '../operation.js';

const rates = {
  base: ['--base <brl>', 'for each order, e.g. 9.90'],
  per_km: ['--per-km <brl>', 'for each kilometre of the route'],
  per_kg: ['--per-kg <brl>', 'for each kilogram of billable weight'],
  per_extra_stop: ['--per-extra-stop <brl>', 'for each stop beyond the first pickup and delivery'],
  volumetric_cm3_per_kg: ['--volumetric <cm3>', 'volume in cm³ that is billed as one kilogram'],
} as const;

export const rateCards = {
  listRateCards: operation('listRateCards', 'rates list', {
    summary: 'List every version of the rate card, newest first.',
    show: table([
      'version',
      'base',
      'per_km',
      'per_kg',
      'per_extra_stop as extra stop',
      'volumetric_cm3_per_kg as cm³ per kg',
      'created_at as since',
    ]),
  }),
  getCurrentRateCard: operation('getCurrentRateCard', 'rates current', { summary: 'Show the rate card in force.' }),
  getRateCard: operation('getRateCard', 'rates show <version>', { summary: 'Show one version of the rate card.' }),
  addRateCard: operation('addRateCard', 'rates add', {
    summary: 'Put a new rate card in force; orders created from now on are priced by it.',
    example: '--base 9.90 --per-km 1.30 --per-kg 0.95 --per-extra-stop 3.50 --volumetric 6000',
    options: rates,
  }),
  previewRateCard: operation('previewRateCard', 'rates preview', {
    summary: 'Show what the 100 newest orders would cost by a new rate card; nothing is changed.',
    example: '--base 9.90 --per-km 1.30 --per-kg 0.95 --per-extra-stop 3.50 --volumetric 6000',
    options: rates,
    show: (print, preview) => {
      const { orders, ...sums } = preview;
      print.record(preview, sums);
      print.rows(orders, [
        ['order', (each) => each.external_id ?? each.order_id],
        'created_at as created',
        'package_count as packages',
        'current_total as now',
        'new_total as new',
      ]);
    },
  }),
};
