import { codesIn } from '../../../validation/readings.js';
import { command, option } from '../../command.js';
import { wrongUsage } from '../../errors.js';
import type { Printer } from '../../printer.js';
import type { AnswerOf } from '../client.js';
import { operation, table } from '../operation.js';

/** Shows a collection list for people: the list, then a row per package. */
function show(print: Printer, list: AnswerOf<'getCollection'>): void {
  const { packages, receipt, ...rest } = list;
  const { extra_codes: extra = [], location: _, ...counts } = receipt ?? {};
  print.record(list, { ...rest, ...counts, extra: extra.join(' ') || undefined });
  print.rows(packages, [
    'tracking_code',
    'reference',
    ['city', ({ city, state }) => `${city} - ${state}`],
    'outcome',
    'loggi_key',
  ]);
}

export const collections = {
  listCollections: operation('listCollections', 'collections list', {
    summary: 'List collection lists, newest first.',
    example: '--state open --user ana@example.com',
    show: table([
      'code',
      'user_id as user',
      'state',
      'package_count as packages',
      ['collected', ({ receipt }) => receipt?.collected],
      ['missing', ({ receipt }) => receipt?.missing],
      'created_at',
    ]),
  }),
  getCollection: operation('getCollection', 'collections show <list>', {
    summary: 'Show a collection list with its packages, by the code of its sheet.',
    show,
  }),
  receiveCollection: command({
    usage: 'collections receive <list>',
    summary: 'Record which packages of a collection list were there: each of them is collected (14).',
    example: 'C7ZK3M9P2QP1S --missing 7ZK3M9P2QP1S --city Campinas --state SP',
    options: {
      scanned: option('--scanned <codes>', 'codes of the packages that were there, with commas between them'),
      missing: option('--missing <codes>', 'codes of the packages that were not; without it and --scanned all were'),
      at: option('--at <time>', 'the time of the collection, RFC 3339; now when left out'),
      city: option('--city <name>', 'the place of the collection'),
      state: option('--state <UF>', 'the state of the collection'),
    },
    run: async ({ call, print }, { scanned, missing, at, city, state }, code) => {
      if (scanned !== undefined && missing !== undefined) throw wrongUsage('Give --scanned or --missing, not both.');
      if ((city === undefined) !== (state === undefined)) throw wrongUsage('--city and --state go together.');
      const body = {
        happened_at: at ?? new Date().toISOString(),
        ...(scanned === undefined ? { missing: codesIn(missing ?? '') } : { scanned: codesIn(scanned) }),
        ...(city !== undefined && state !== undefined && { location: { city, state } }),
      };
      show(print, await call('receiveCollection', { path: { code }, body }));
    },
  }),
};
