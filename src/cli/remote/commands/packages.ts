import { command, option, passwordStdin, required } from '../../command.js';
import type { Printer } from '../../printer.js';
import type { AnswerOf } from '../client.js';
import { operation, table } from '../operation.js';
import { movementFrom, movementOptions } from './movements.js';
import { codeOption, proofOf } from './proof.js';

const share = (part: number, all: number): string => (all === 0 ? '–' : `${Math.round((100 * part) / all)} %`);

function showChange(print: Printer, answer: AnswerOf<'changeAddressForShipper'>): void {
  const { package: changed, resolved_address: place, ...rest } = answer;
  const { loggi_key, tracking_code } = changed;
  const { city, precision, accuracy_metres } = place;
  print.record(answer, { loggi_key, tracking_code, ...rest, city, precision, accuracy_metres });
}

/** Counts of now (`today`) and of the end of yesterday. */
type Beside = Record<'today' | 'yesterday', Record<'to_collect' | 'in_bases' | 'on_the_road' | 'late', number>>;

const beside = (of: 'to_collect' | 'in_bases' | 'on_the_road' | 'late', name: string) =>
  [name, ({ today, yesterday }: Beside) => `${today[of]} (${yesterday[of]})`] as const;

const placeColumns = [
  beside('to_collect', 'to collect (yesterday)'),
  beside('in_bases', 'in bases'),
  beside('on_the_road', 'on the road'),
  beside('late', 'late'),
] as const;

export const packages = {
  listPackages: operation('listPackages', 'packages list', {
    summary: 'List packages, newest first.',
    example: '--status 6 --user ana@example.com',
    options: { open: ['--open', 'only packages under way, by their promised date'] },
    show: table([
      'loggi_key',
      'tracking_code',
      ['status', ({ status }) => `${status.code} ${status.high_level_status}`],
      ['since', ({ status }) => status.updated_at],
      ['recipient', ({ recipient }) => recipient.name],
      'promised_date as promised',
      ['attempts', ({ attempts }) => attempts && `${attempts.count} ${attempts.last_outcome}`],
      'tracking_url as tracking',
    ]),
  }),
  getPackage: operation('getPackage', 'packages show <package>', {
    summary: 'Show a package with its current status.',
  }),
  listMovements: operation('listMovements', 'packages history <package>', {
    summary: 'List the movements of a package, newest first.',
    show: table([
      'happened_at',
      ['status', (each) => `${each.status_code} ${each.high_level_status}`],
      ['location', ({ location }) => location && `${location.city} - ${location.state}`],
      ['reason', (each) => each.action_required?.reason_label],
      ['agency', (each) => each.pickup_agency?.address],
      ['attempt', (each) => each.attempt?.outcome],
      ['reopened', ({ reopening }) => reopening?.reason],
      'id',
    ]),
  }),
  cancelPackageForShipper: operation('cancelPackageForShipper', 'packages cancel <package>', {
    summary: 'Cancel a package in status 1; the other packages of its order are priced again.',
    options: { preview: ['--preview', 'show what the order would cost, and cancel nothing'] },
    show: showChange,
  }),
  changeAddressForShipper: command({
    usage: 'packages change-address <package>',
    summary: 'Show what an order costs with another address of a package in status 1; with that total, change it.',
    example: "7ZK3M9P2QP1S --address 'Rua Cunha Gago, 700 - Pinheiros, São Paulo - SP' --total 11.43",
    options: {
      address: required(option('--address <text>', 'the new address, in one line')),
      complement: option('--complement <text>', 'floor, flat'),
      total: option('--total <amount>', 'the total that was shown; without it nothing changes'),
    },
    run: async ({ call, print }, { total, ...address }, loggi_key) => {
      const body = { address, ...(total !== undefined && { total }) };
      showChange(print, await call('changeAddressForShipper', { path: { loggi_key }, body }));
    },
  }),
  reopenPackage: command({
    usage: 'packages reopen <package>',
    summary: 'Take back the final status of a package that was recorded by mistake, within 7 days.',
    example: "7ZK3M9P2QP1S --reason 'A entrega era de outro pacote.'",
    options: { reason: required(option('--reason <text>', 'why it was a mistake')), passwordStdin, code: codeOption },
    run: async (session, { reason, passwordStdin: fromStdin = false, code }, loggi_key) => {
      const body = { reason, ...(await proofOf(session, { code, fromStdin })) };
      session.print.record(await session.call('reopenPackage', { path: { loggi_key }, body }));
    },
  }),
  renewTrackingLink: operation('renewTrackingLink', 'packages new-link <package>', {
    summary: 'Give a package a new tracking link; the one before is revoked.',
  }),
  revokeTrackingLink: operation('revokeTrackingLink', 'packages revoke-link <package>', {
    summary: 'Revoke the tracking link of a package.',
    says: 'The tracking link is revoked.',
  }),
  listPackageStatuses: operation('listPackageStatuses', 'statuses list', {
    summary: 'List the catalogue of package statuses.',
    show: table([
      'code',
      'high_level_status as name',
      'description',
      'requirement as requires',
      'final',
      'stage as order becomes',
    ]),
  }),
  getPackageStatus: operation('getPackageStatus', 'statuses show <code>', { summary: 'Show a package status.' }),
  addPackageStatus: operation('addPackageStatus', 'statuses add', {
    summary: 'Add a code to the catalogue.',
    example: "--code 19 --name 'Retido na alfândega' --description 'Aguarda a alfândega.' --stage processing",
    options: {
      code: ['--code <number>', 'the new code'],
      high_level_status: ['--name <name>', 'readable general status'],
      description: ['--description <text>', 'short description'],
      stage: ['--stage <status>', 'what it means for the order'],
      requirement: ['--requires <part>', 'what a movement to it must carry'],
      final: ['--final', "the package's way ends here, which follows from --stage"],
      public_title_pt_br: ['--title-pt <text>', 'the word that people read, in Portuguese'],
      public_title_en: ['--title-en <text>', 'the same in English'],
    },
  }),
  listTasks: operation('listTasks', 'tasks list', {
    summary: 'List tasks: open ones from the oldest on, all others newest first.',
    example: '--state open --before 2026-11-18T00:00:00Z',
    options: { created_to: ['--before <time>', 'only tasks that came before this time'] },
    show: table([
      'created_at as since',
      'kind',
      'loggi_key as package',
      'problem',
      'day',
      'phone',
      ['address', ({ address }) => address?.address],
      'instructions',
      'note',
      ['applied', ({ applied }) => applied.join(' ')],
      'completed_at as done',
      'id',
    ]),
  }),
  getTask: operation('getTask', 'tasks show <task>', { summary: 'Show a task.' }),
  completeTask: command({
    usage: 'tasks done <task>',
    summary: 'Note that a task is done; with --status, record the movement that does it, both or neither.',
    example: "01930f63-2a4e-7c31-9b5d-4e6f7a8b9c0d --note 'The courier brings it back.' --status 7",
    options: { note: option('--note <text>', 'what the shipper of the package is told'), ...movementOptions },
    run: async ({ call, print }, { note, ...given }, id) => {
      const path = { id };
      const isMoved = Object.keys(given).length > 0;
      const moved = isMoved && { loggi_key: (await call('getTask', { path })).loggi_key, ...given };
      const body = { ...(note !== undefined && { note }), ...(moved && { movement: movementFrom(moved) }) };
      print.record(await call('completeTask', { path, body }));
    },
  }),
  getToday: operation('getToday', 'figures today', {
    summary: 'Show how the day is going: all packages under way, each count beside the end of yesterday.',
    show: (print, answer) => {
      const { at, today, yesterday, statuses, missed, late, bases, customers, days } = answer;
      print.record(answer, { at });
      print.rows(
        [today, yesterday].map((counts, index) => ({ day: index === 0 ? 'today' : 'yesterday', ...counts })),
        [
          'day',
          'to_collect as to collect',
          'in_bases as in bases',
          'on_the_road as on the road',
          'late',
          ['delivered of planned', (row) => `${row.delivered_of_planned} / ${row.planned}`],
          'delivered',
        ],
      );
      print.rows(statuses, ['code as status', 'today', 'yesterday']);
      print.rows(missed, ['outcome as missed attempt', 'today', 'yesterday']);
      print.rows(late, ['days as days late', 'today', 'yesterday']);
      print.rows(bases, ['city', 'state', ...placeColumns]);
      print.rows(customers, ['user_id as user', ...placeColumns]);
      print.rows(days, [
        'date as day',
        'orders',
        'packages as promised for it',
        ['on time', ({ on_time, packages }) => share(on_time, packages)],
        ['at the first attempt', ({ first_attempt, delivered }) => share(first_attempt, delivered)],
      ]);
    },
  }),
  getFigures: operation('getFigures', 'figures show', {
    summary: 'Show counts of packages under way and of problems, and the results of the last 14 days.',
    example: '--stuck-days 5',
    show: (print, answer) => {
      const { days, statuses, attempts = [], ...counts } = answer;
      print.record(answer, counts);
      print.rows(statuses, ['code as status', 'packages as packages under way']);
      print.rows(attempts, ['outcome as last attempt', 'packages as packages under way']);
      print.rows(days, [
        'date as day',
        'orders',
        ['on time', ({ on_time, due }) => share(on_time, due)],
        ['at the first attempt', ({ first_attempt, delivered }) => share(first_attempt, delivered)],
        'delivery_hours as hours to delivery',
      ]);
    },
  }),
};
