import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { parse } from 'csv-parse/sync';
import { command, flag, type OptionsOf, option, required, type Session, whole } from '../../command.js';
import { throwUnreadable, wrongUsage } from '../../errors.js';
import type { AnswerOf } from '../client.js';
import { operation, table } from '../operation.js';

type RateCard = AnswerOf<'getRateCard'>;
type Zones = NonNullable<RateCard['zones']>;

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

const start = {
  name: option('--name <name>', 'of the cards that some accounts have (default: standard)'),
  from: option('--from <time>', 'when the card takes effect, e.g. 2027-01-01T03:00:00Z (default: at once)'),
};

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
      ['name', ({ name }) => name ?? 'standard'],
      'base',
      'per_km',
      'per_kg',
      'per_extra_stop as extra stop',
      'volumetric_cm3_per_kg as cm³ per kg',
      ['since', ({ valid_from: from, created_at: at }) => from ?? at],
    ]),
  }),
  getCurrentRateCard: command({
    usage: 'rates current',
    summary: 'Show the rate card in force.',
    options: { ...csv, name: option('--name <name>', 'of the cards (default: standard)') },
    run: async (session, { name, csv: asCsv }) => {
      const query = name === undefined ? {} : { name };
      showCard(session, await session.call('getCurrentRateCard', { query }), asCsv);
    },
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
    options: { ...options, ...start },
    run: async (session, given) => {
      const { name, from } = given;
      const begin = { ...(name !== undefined && { name }), ...(from !== undefined && { valid_from: from }) };
      const body = { ...(await cardOf(session, given)), ...begin };
      showCard(session, await session.call('addRateCard', { body }), false);
    },
  }),
  previewRateCard: command({
    usage: 'rates preview',
    summary: 'Show what the 100 newest orders would cost by a new rate card; nothing is changed.',
    example: EXAMPLE,
    options: { ...options, user: option('--user <user>', 'only orders of this user') },
    run: async (session, given) => {
      const ofUser = given.user !== undefined && { user_id: given.user };
      const preview = await session.call('previewRateCard', { body: { ...(await cardOf(session, given)), ...ofUser } });
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
  getUserRateCard: operation('getUserRateCard', 'rates of <user>', {
    summary: "Show which rate card prices a user's orders, and which one follows.",
  }),
  setUserRateCard: operation('setUserRateCard', 'rates give <user>', {
    summary: 'Let the cards of a name price the orders of a user.',
    example: 'ana@example.com --name contract-2027 --from 2027-01-01',
    options: {
      name: ['--name <name>', 'of the cards; standard is the one of all others'],
      from: ['--from <day>', 'first day, in America/Sao_Paulo; today is at once'],
    },
  }),
};

// Zones as a sheet with the headings service,up_to_km,1000,5000,per_further_kg. The numbers are weights in grams;
// prices stand below them. Each zone has a row for express, and a row for economy if it has economy prices.

function zonesCsv(zones: Zones | undefined): string {
  const { weights = [], rows = [] } = zones ?? {};
  const lines = rows.flatMap(({ up_to_km: km, economy, ...express }) => [
    ['express', km, ...express.prices, express.per_further_kg],
    ...(economy ? [['economy', km, ...economy.prices, economy.per_further_kg]] : []),
  ]);
  return [['service', 'up_to_km', ...weights, 'per_further_kg'], ...lines]
    .map((line) => `${line.join(',')}\n`)
    .join('');
}

/** Reads zones from a sheet with commas or semicolons. Amounts may be `9,90`. The service checks the values. */
async function readZones(file: string, stdin: NodeJS.ReadableStream): Promise<Zones> {
  const content = file === '-' ? await text(stdin) : await readFile(file, 'utf8').catch(throwUnreadable);
  const [head = [], ...lines] = sheetOf(content);
  const [service, upToKm, ...columns] = head;
  if (service !== 'service' || upToKm !== 'up_to_km' || columns.at(-1) !== 'per_further_kg')
    throw wrongUsage('The first line must be service,up_to_km, the weights in grams, and per_further_kg.');
  const read = lines.map(([name = '', km = '', ...cells], at) => {
    const amounts = cells.map((cell) => cell.replace(',', '.'));
    const isWhole = ['express', 'economy'].includes(name) && /^\d{1,6}$/.test(km) && cells.length === columns.length;
    if (!isWhole)
      throw wrongUsage(`Line ${at + 2} must have express or economy, kilometres and ${columns.length} prices.`);
    return { name, km: Number(km), prices: amounts.slice(0, -1), per_further_kg: amounts.at(-1) ?? '' };
  });
  const economies = new Map(read.flatMap(({ name, km, ...row }) => (name === 'economy' ? [[km, row]] : [])));
  const rows = read
    .filter(({ name }) => name === 'express')
    .map(({ name: _, km, ...express }) => {
      const economy = economies.get(km);
      economies.delete(km);
      return { up_to_km: km, ...express, ...(economy && { economy }) };
    });
  const [stray] = economies.keys();
  if (stray !== undefined) throw wrongUsage(`Economy up to ${stray} km has no row of express.`);
  return { weights: columns.slice(0, -1).map(Number), rows };
}

function sheetOf(content: string): string[][] {
  const delimiter = content.split('\n', 1)[0]?.includes(';') ? ';' : ',';
  try {
    return parse(content, { bom: true, delimiter, trim: true, skip_empty_lines: true });
  } catch (error) {
    throw wrongUsage(`The zones are not CSV: ${error instanceof Error ? error.message : 'unreadable'}`);
  }
}
