import { areaColumns, areasOfCsv, csvOfAreas } from '../../../files/area-rows.js';
import { command, flag, option, type Session } from '../../command.js';
import { wrongUsage } from '../../errors.js';
import type { AnswerOf } from '../client.js';
import { operation, table } from '../operation.js';
import { readSheet } from './sheet.js';

type ServiceAreas = AnswerOf<'getServiceAreas'>;

const csv = { csv: flag('--csv', 'the areas alone, as CSV') };
const from = option('--from <time>', 'when the version takes effect, e.g. 2026-12-01T03:00:00Z (default: at once)');

function showAreas({ print, terminal }: Session, version: ServiceAreas, asCsv: boolean | undefined): void {
  if (asCsv) return void terminal.stdout.write(csvOfAreas(version.areas));
  const { areas, ...facts } = version;
  print.record(version, facts);
  print.rows(areas, [
    'name',
    [
      'places',
      ({ states, municipalities, postal_codes: ranges }) => placesText([...states, ...municipalities], ranges),
    ],
    ['collects', ({ collects }) => (collects ? 'yes' : 'no')],
    ['delivers', ({ delivers }) => (delivers ? 'yes' : 'no')],
    ['services', ({ services }) => services.join(' ')],
    ['weekdays', ({ weekdays }) => (weekdays.length === 7 ? 'all' : weekdays.join(' '))],
    'extra_workdays as extra workdays',
  ]);
}

const MAX_SHOWN = 5;

function placesText(
  names: readonly (string | number)[],
  ranges: ServiceAreas['areas'][number]['postal_codes'],
): string {
  const places = [...names, ...ranges.map((range) => `${range.from}-${range.to}`)];
  const more = places.length - MAX_SHOWN;
  return `${places.slice(0, MAX_SHOWN).join(' ')}${more > 0 ? ` and ${more} more` : ''}`;
}

const fileHelp = `The file is CSV with a line for each place: a state, the IBGE code of a municipality, or a range of CEPs. Its columns are
${areaColumns.join(', ')}.
A column may be left out. "areas current --csv" writes the version in force.`;

async function readAreas(file: string | undefined, stdin: NodeJS.ReadableStream) {
  if (file === undefined) throw wrongUsage('Name a file of areas as CSV, or - for standard input.');
  return readSheet(file, stdin, areasOfCsv);
}

export const serviceAreas = {
  listServiceAreas: operation('listServiceAreas', 'areas list', {
    summary: 'List every version of the service areas, newest first.',
    show: table([
      'version',
      'valid_from as from',
      'place_count as places',
      ['in force', ({ in_force: isInForce }) => (isInForce ? 'yes' : '')],
      'created_at as created',
    ]),
  }),
  getCurrentServiceAreas: command({
    usage: 'areas current',
    summary: 'Show the service areas in force.',
    options: csv,
    run: async (session, given) => showAreas(session, await session.call('getCurrentServiceAreas', {}), given.csv),
  }),
  getServiceAreas: command({
    usage: 'areas show <version>',
    summary: 'Show one version of the service areas.',
    options: csv,
    run: async (session, given, version) => {
      if (!/^\d{1,9}$/.test(version ?? '')) throw wrongUsage(`${version} is not a whole number.`);
      showAreas(session, await session.call('getServiceAreas', { path: { version: Number(version) } }), given.csv);
    },
  }),
  addServiceAreas: command({
    usage: 'areas add <file>',
    summary: `Add a version of the service areas.\n\n${fileHelp}`,
    example: 'areas.csv --from 2026-12-01T03:00:00Z',
    options: { from },
    run: async (session, given, file) => {
      const areas = await readAreas(file, session.terminal.stdin);
      const body = { areas, ...(given.from !== undefined && { valid_from: given.from }) };
      const { areas: _, ...version } = await session.call('addServiceAreas', { body });
      session.print.record(version);
    },
  }),
  previewServiceAreas: command({
    usage: 'areas preview <file>',
    summary: 'Show which of the 100 newest orders areas would refuse, and why; nothing is changed.',
    example: 'areas.csv',
    options: {},
    run: async (session, _given, file) => {
      const areas = await readAreas(file, session.terminal.stdin);
      const preview = await session.call('previewServiceAreas', { body: { areas } });
      const { orders, ...sums } = preview;
      session.print.record(preview, sums);
      const rows = orders.flatMap(({ refusals, ...order }) => refusals.map((refusal) => ({ ...order, ...refusal })));
      session.print.rows(rows, [
        ['order', (each) => each.external_id ?? each.order_id],
        'field',
        'code',
        ['place', ({ city, state }) => `${city} - ${state}`],
        ['line', ({ area }) => (area === undefined ? 'none' : area + 1)],
        'decided_by as decided by',
      ]);
    },
  }),
};
