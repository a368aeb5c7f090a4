import { command, flag, type OptionsOf, option, required, type Session, whole } from '../../command.js';
import { wrongUsage } from '../../errors.js';
import type { AnswerOf } from '../client.js';
import { operation, table } from '../operation.js';
import { readZones, zonesCsv } from '../zones-file.js';

type RateCard = AnswerOf<'getRateCard'>;

const options = {
  base: required(option('--base <brl>', 'for each order, e.g. 9.90')),
  perKm: required(option('--per-km <brl>', "for each kilometre of a courier's route")),
  perKg: required(option('--per-kg <brl>', 'for each kilogram of billable weight')),
  perExtraStop: required(option('--per-extra-stop <brl>', 'for each stop beyond the first pickup and delivery')),
  volumetric: required(whole('--volumetric <cm3>', 'volume in cm³ that is billed as one kilogram')),
  zones: option('--zones <file>', 'line-haul as CSV, as "rates current --csv" writes it; - is standard input'),
  urbanKm: whole('--urban-km <km>', 'how far a package goes by courier alone (default with zones: 60)'),
  economyDays: whole('--economy-days <days>', 'workdays by which economy is later, of zones with rows of it'),
  percent: option('--ad-valorem-percent <percent>', 'part of declared values that is charged, e.g. 0.30'),
  least: option('--ad-valorem-least <brl>', 'the least that an order with a declared value pays (default: 0.00)'),
};
type RateOptions = OptionsOf<typeof options>;

async function cardOf({ terminal }: Session, given: RateOptions) {
  const { zones: file, urbanKm, economyDays, percent, least = '0.00' } = given;
  const zones = file === undefined ? undefined : await readZones(file, terminal.stdin);
  return {
    base: given.base,
    per_km: given.perKm,
    per_kg: given.perKg,
    per_extra_stop: given.perExtraStop,
    volumetric_cm3_per_kg: given.volumetric,
    ...(zones && { zones: { ...zones, ...(economyDays !== undefined && { economy_days: economyDays }) } }),
    ...(urbanKm !== undefined && { urban_km: urbanKm }),
    ...(percent !== undefined && { ad_valorem: { percent, least } }),
  };
}

const csv = { csv: flag('--csv', 'the zones alone, as CSV') };
const EXAMPLE = '--base 9.90 --per-km 0.12 --per-kg 0.90 --per-extra-stop 3.50 --volumetric 6000 --zones zones.csv';

function showCard({ print, terminal }: Session, card: RateCard, asCsv: boolean | undefined): void {
  if (asCsv) return void terminal.stdout.write(zonesCsv(card.zones));
  const { zones, ad_valorem: adValorem, ...rest } = card;
  print.record(card, {
    ...rest,
    ...(zones?.economy_days !== undefined && { economy_days: zones.economy_days }),
    ...(adValorem && { ad_valorem: `${adValorem.percent} %, ${adValorem.least} at least` }),
  });
  const rows = (zones?.rows ?? []).flatMap(({ economy, ...express }) => [
    { service: 'express', ...express },
    ...(economy ? [{ service: 'economy', up_to_km: express.up_to_km, ...economy }] : []),
  ]);
  print.rows(rows, [
    'service',
    'up_to_km as km',
    ...(zones?.weights ?? []).map(
      (grams, at) => [`${grams} g`, (row: (typeof rows)[number]) => row.prices[at]] as const,
    ),
    'per_further_kg as further kg',
  ]);
}

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
  getCurrentRateCard: command({
    usage: 'rates current',
    summary: 'Show the rate card in force.',
    options: csv,
    run: async (session, given) => showCard(session, await session.call('getCurrentRateCard', {}), given.csv),
  }),
  getRateCard: command({
    usage: 'rates show <version>',
    summary: 'Show one version of the rate card.',
    options: csv,
    run: async (session, given, version) => {
      if (!/^\d{1,9}$/.test(version ?? '')) throw wrongUsage(`${version} is not a whole number.`);
      showCard(session, await session.call('getRateCard', { path: { version: Number(version) } }), given.csv);
    },
  }),
  addRateCard: command({
    usage: 'rates add',
    summary: 'Put a new rate card in force; orders created from now on are priced by it.',
    example: EXAMPLE,
    options,
    run: async (session, given) =>
      showCard(session, await session.call('addRateCard', { body: await cardOf(session, given) }), false),
  }),
  previewRateCard: command({
    usage: 'rates preview',
    summary: 'Show what the 100 newest orders would cost by a new rate card; nothing is changed.',
    example: EXAMPLE,
    options,
    run: async (session, given) => {
      const preview = await session.call('previewRateCard', { body: await cardOf(session, given) });
      const { orders, ...sums } = preview;
      session.print.record(preview, sums);
      session.print.rows(orders, [
        ['order', (each) => each.external_id ?? each.order_id],
        'created_at as created',
        'package_count as packages',
        'current_total as now',
        'new_total as new',
      ]);
    },
  }),
};
