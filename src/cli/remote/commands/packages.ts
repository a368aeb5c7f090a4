import { operation, table } from '../operation.js';

export const packages = {
  listPackages: operation('listPackages', 'packages list', {
    summary: 'List packages, newest first.',
    example: '--status 6 --user ana@example.com',
    options: {
      user_id: ['--user <user>', 'only packages of this user'],
      order_id: ['--order <order>', 'only packages of this order'],
      status_code: ['--status <code>', 'only packages in this status'],
      tracking_code: ['--tracking-code <code>', 'only the package of this tracking code'],
      barcode: ['--barcode <digits>', 'only the package of this barcode'],
      open: ['--open', 'only packages under way, by their promised date'],
      late: ['--late', 'only packages under way whose promised date has passed'],
      stuck_since: ['--stuck-since <time>', 'only packages under way without another status since before this time'],
    },
    show: table([
      'loggi_key',
      'tracking_code',
      ['status', ({ status }) => `${status.code} ${status.high_level_status}`],
      ['since', ({ status }) => status.updated_at],
      ['recipient', ({ recipient }) => recipient.name],
      'promised_date as promised',
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
      'id',
    ]),
  }),
  renewTrackingLink: operation('renewTrackingLink', 'packages new-link <package>', {
    summary: 'Give a package a new tracking link; the one before is revoked.',
  }),
  revokeTrackingLink: operation('revokeTrackingLink', 'packages revoke-link <package>', {
    summary: 'Revoke the tracking link of a package.',
    says: 'The tracking link is revoked.',
  }),
};
