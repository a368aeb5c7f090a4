import { command, option, type PageOptions, pageOptions, pageQuery, whole } from '../../command.js';
import { bodyOf, done } from '../client.js';

interface Filters extends PageOptions {
  user?: string;
  order?: string;
  status?: number;
  trackingCode?: string;
  barcode?: string;
  open?: boolean;
  late?: boolean;
  stuckSince?: string;
}

const filterQuery = ({ user, order, status, trackingCode, barcode, open, late, stuckSince, ...page }: Filters) => ({
  ...pageQuery(page),
  ...(user !== undefined && { user_id: user }),
  ...(order !== undefined && { order_id: order }),
  ...(status !== undefined && { status_code: status }),
  ...(trackingCode !== undefined && { tracking_code: trackingCode }),
  ...(barcode !== undefined && { barcode }),
  ...(open && { open }),
  ...(late && { late }),
  ...(stuckSince !== undefined && { stuck_since: stuckSince }),
});

export const packages = {
  listPackages: command<Filters>({
    usage: 'packages list',
    summary: 'List packages, newest first.',
    example: 'packages list --status 6 --user ana@example.com',
    options: [
      option('--user <user>', 'only packages of this user'),
      option('--order <order>', 'only packages of this order'),
      whole('--status <code>', 'only packages in this status'),
      option('--tracking-code <code>', 'only the package of this tracking code'),
      option('--barcode <digits>', 'only the package of this barcode'),
      option('--open', 'only packages under way, by their promised date'),
      option('--late', 'only packages under way whose promised date has passed'),
      option('--stuck-since <time>', 'only packages under way without another status since before this time'),
      ...pageOptions,
    ],
    run: async ({ operator, print }, options) => {
      const call = operator.GET('/operator/v1/packages', { params: { query: filterQuery(options) } });
      print.list(await bodyOf(call), {
        'loggi key': (each) => each.loggi_key,
        'tracking code': (each) => each.tracking_code,
        status: (each) => `${each.status.code} ${each.status.high_level_status}`,
        since: (each) => each.status.updated_at,
        recipient: (each) => each.recipient.name,
        promised: (each) => each.promised_date,
        tracking: (each) => each.tracking_url,
      });
    },
  }),

  getPackage: command({
    usage: 'packages show <package>',
    summary: 'Show a package with its current status.',
    example: 'packages show 7ZK3M9P2QP1S',
    run: async ({ operator, print }, _options, key) => {
      const call = operator.GET('/operator/v1/packages/{loggi_key}', { params: { path: { loggi_key: key } } });
      print.record(await bodyOf(call));
    },
  }),

  listMovements: command<PageOptions>({
    usage: 'packages history <package>',
    summary: 'List the movements of a package, newest first.',
    example: 'packages history 7ZK3M9P2QP1S',
    options: pageOptions,
    run: async ({ operator, print }, options, key) => {
      const params = { path: { loggi_key: key }, query: pageQuery(options) };
      print.list(await bodyOf(operator.GET('/operator/v1/packages/{loggi_key}/movements', { params })), {
        'happened at': (each) => each.happened_at,
        status: (each) => `${each.status_code} ${each.high_level_status}`,
        location: (each) => each.location && `${each.location.city} - ${each.location.state}`,
        reason: (each) => each.action_required?.reason_label,
        agency: (each) => each.pickup_agency?.address,
        id: (each) => each.id,
      });
    },
  }),

  renewTrackingLink: command({
    usage: 'packages new-link <package>',
    summary: 'Give a package a new tracking link; the one before is revoked.',
    example: 'packages new-link 7ZK3M9P2QP1S',
    run: async ({ operator, print }, _options, key) => {
      const params = { path: { loggi_key: key } };
      print.record(await bodyOf(operator.POST('/operator/v1/packages/{loggi_key}/tracking-link', { params })));
    },
  }),

  revokeTrackingLink: command({
    usage: 'packages revoke-link <package>',
    summary: 'Revoke the tracking link of a package.',
    example: 'packages revoke-link 7ZK3M9P2QP1S',
    run: async ({ operator, print }, _options, key) => {
      const params = { path: { loggi_key: key } };
      await done(operator.DELETE('/operator/v1/packages/{loggi_key}/tracking-link', { params }));
      print.say('The tracking link is revoked.');
    },
  }),
};
