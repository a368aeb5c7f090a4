import { csvOfDays, dayColumns, daysOfCsv, withDaysOf } from '../../../files/day-rows.js';
import { command, flag, type OptionsOf, oneOf, option, type Session, whole } from '../../command.js';
import { wrongUsage } from '../../errors.js';
import type { AnswerOf } from '../client.js';
import { operation, table } from '../operation.js';
import { readSheet } from './sheet.js';

type Calendar = AnswerOf<'getCalendar'>;

const csv = { csv: flag('--csv', 'the days off alone, as CSV') };
const yesOrNo = ['yes', 'no'] as const;

const changes = {
  lead: whole('--lead <minutes>', 'minutes from an order until couriers can be at the pickup'),
  cutoff: option(
    '--cutoff <time>',
    'local time from which orders are collected on the next workday, e.g. 11:00, or none',
  ),
  opening: option('--opening <time>', 'local time at which couriers begin, e.g. 08:00'),
  closing: option('--closing <time>', 'local time at which the last visit has ended, e.g. 20:00'),
  saturdays: oneOf('--saturdays <yes|no>', 'whether couriers work on Saturdays', yesOrNo),
  sundays: oneOf('--sundays <yes|no>', 'whether couriers work on Sundays', yesOrNo),
};
const from = option('--from <time>', 'when the version takes effect, e.g. 2026-12-01T03:00:00Z (default: at once)');

const changesHelp = `Without its option a value stays as in the calendar in force. The file is CSV of days off, with the columns
${dayColumns.join(', ')}. A day without state and municipality is one of the country. The days of the file
replace the days off of the same years. "calendars current --csv" writes those in force.`;

/** The calendar in force, with the changes of the options. */
async function changedCalendar(
  { call, terminal }: Session,
  given: OptionsOf<typeof changes>,
  file: string | undefined,
) {
  const names = Object.values(given);
  if (names.length === 0 && file === undefined) throw wrongUsage('Name an option, or a file of days off as CSV.');
  const days = file === undefined ? [] : await readSheet(file, terminal.stdin, daysOfCsv);
  const { version: _, valid_from: __, created_at: ___, ...current } = await call('getCurrentCalendar', {});
  const { collection_cutoff: currentCutoff, closed, ...hours } = current;
  const { lead = hours.collection_lead_minutes, cutoff = currentCutoff, opening, closing, saturdays, sundays } = given;
  return {
    collection_lead_minutes: lead,
    ...(cutoff !== undefined && cutoff !== 'none' && { collection_cutoff: cutoff }),
    opening: opening ?? hours.opening,
    closing: closing ?? hours.closing,
    saturdays: saturdays === undefined ? hours.saturdays : saturdays === 'yes',
    sundays: sundays === undefined ? hours.sundays : sundays === 'yes',
    closed: withDaysOf(days, closed),
  };
}

function showCalendar({ print, terminal }: Session, version: Calendar, asCsv: boolean | undefined): void {
  if (asCsv) return void terminal.stdout.write(csvOfDays(version.closed));
  const { closed, ...facts } = version;
  print.record(version, facts);
  print.rows(closed, [
    'date',
    'name',
    ['place', ({ state, municipality }) => state ?? (municipality === undefined ? 'all' : String(municipality))],
  ]);
}

export const calendars = {
  listCalendars: operation('listCalendars', 'calendars list', {
    summary: 'List every version of the calendar, newest first.',
    show: table([
      'version',
      'valid_from as from',
      ['hours', ({ opening, closing }) => `${opening}-${closing}`],
      ['cut-off', ({ collection_cutoff: cutoff }) => cutoff ?? 'none'],
      'collection_lead_minutes as lead',
      'closed_count as days off',
      ['in force', ({ in_force: isInForce }) => (isInForce ? 'yes' : '')],
      'created_at as created',
    ]),
  }),
  getCurrentCalendar: command({
    usage: 'calendars current',
    summary: 'Show the calendar in force.',
    options: csv,
    run: async (session, given) => showCalendar(session, await session.call('getCurrentCalendar', {}), given.csv),
  }),
  getCalendar: command({
    usage: 'calendars show <version>',
    summary: 'Show one version of the calendar.',
    options: csv,
    run: async (session, given, version) => {
      if (!/^\d{1,9}$/.test(version ?? '')) throw wrongUsage(`${version} is not a whole number.`);
      showCalendar(session, await session.call('getCalendar', { path: { version: Number(version) } }), given.csv);
    },
  }),
  addCalendar: command({
    usage: 'calendars add [file]',
    summary: `Add a version of the calendar: working time, and days off of a year from a file.\n\n${changesHelp}`,
    example: 'days-2027.csv --cutoff 11:00 --from 2026-12-01T03:00:00Z',
    options: { ...changes, from },
    run: async (session, { from: validFrom, ...given }, file) => {
      const calendar = await changedCalendar(session, given, file);
      const body = { ...calendar, ...(validFrom !== undefined && { valid_from: validFrom }) };
      const { closed, ...version } = await session.call('addCalendar', { body });
      session.print.record({ ...version, closed_count: closed.length });
    },
  }),
  previewCalendar: command({
    usage: 'calendars preview [file]',
    summary: `Show which of the 100 newest orders would be collected at another time; nothing is changed.\n\n${changesHelp}`,
    example: 'days-2027.csv --cutoff 11:00',
    options: changes,
    run: async (session, given, file) => {
      const body = await changedCalendar(session, given, file);
      const preview = await session.call('previewCalendar', { body });
      const { orders, ...sums } = preview;
      session.print.record(preview, sums);
      const rows = orders.flatMap(({ pickups, ...order }) => pickups.map((pickup) => ({ ...order, ...pickup })));
      session.print.rows(rows, [
        ['order', (each) => each.external_id ?? each.order_id],
        'created_at as created',
        ['place', ({ city, state }) => `${city} - ${state}`],
        'current_from as now from',
        'new_from as then from',
      ]);
    },
  }),
};
