import type { components } from '../../../../generated/rest.js';
import { command, oneOf, option, type PageOptions, pageOptions, pageQuery, type Session } from '../../command.js';
import { wrongUsage } from '../../errors.js';
import { bodyOf } from '../client.js';

type Order = components['schemas']['Order'];
type Status = components['schemas']['OrderStatusUpdate']['status'];

/** Statuses that an order may be set to. */
const settable: readonly Status[] = ['processing', 'out_for_delivery', 'completed', 'cancelled'];
const statuses = ['created', ...settable] as const;

interface Filters extends PageOptions {
  status?: (typeof statuses)[number];
  from?: string;
  to?: string;
  externalId?: string;
  trackingCode?: string;
}

const filterQuery = ({ status, from, to, externalId, trackingCode, ...page }: Filters) => ({
  ...pageQuery(page),
  ...(status && { status }),
  ...(from !== undefined && { created_from: from }),
  ...(to !== undefined && { created_to: to }),
  ...(externalId !== undefined && { external_id: externalId }),
  ...(trackingCode !== undefined && { tracking_code: trackingCode }),
});

/** An order for people: what it is, then a row for each of its packages. */
function show({ print }: Session, order: Order): void {
  const { packages, pickups, route, pricing, ...rest } = order;
  const sender = pickups.map(({ address }) => address.address).join('; ');
  print.record(order, { ...rest, total: pricing.total, distance: `${route.distance} m`, pickups: sender });
  print.rows(packages, {
    'loggi key': (each) => each.loggi_key,
    'tracking code': (each) => each.tracking_code,
    status: (each) => `${each.status.code} ${each.status.high_level_status}`,
    since: (each) => each.status.updated_at,
    recipient: (each) => each.recipient.name,
    city: ({ resolved_address: { city, state } }) => `${city} - ${state}`,
    promised: (each) => each.promised_date,
  });
}

async function setStatus(session: Session, id: string, status: Status): Promise<void> {
  const call = session.rest.PUT('/api/v1/orders/{id}/status', { params: { path: { id } }, body: { status } });
  show(session, await bodyOf(call));
}

/** The operations of the REST interface on orders, of which operators see all. */
export const orders = {
  listOrders: command<Filters>({
    usage: 'orders list',
    summary: 'List orders, newest first.',
    example: 'orders list --status created --from 2026-11-01T00:00:00Z',
    options: [
      oneOf('--status <status>', 'only orders of this status', statuses),
      option('--from <time>', 'only orders created at this time or later, RFC 3339'),
      option('--to <time>', 'only orders created before this time, RFC 3339'),
      option('--external-id <text>', 'only orders that their users know by this'),
      option('--tracking-code <code>', 'only the order that has the package of this tracking code'),
      ...pageOptions,
    ],
    run: async ({ rest, print }, options) => {
      print.list(await bodyOf(rest.GET('/api/v1/orders', { params: { query: filterQuery(options) } })), {
        id: (order) => order.id,
        'external id': (order) => order.external_id,
        user: (order) => order.user_id,
        status: (order) => order.status,
        total: (order) => order.total,
        packages: (order) => order.package_count,
        'created at': (order) => order.created_at,
      });
    },
  }),

  getOrder: command({
    usage: 'orders show <order>',
    alias: 'get',
    summary: 'Show an order with its packages.',
    example: 'orders show pedido-1042',
    run: async (session, _options, id) =>
      show(session, await bodyOf(session.rest.GET('/api/v1/orders/{id}', { params: { path: { id } } }))),
  }),

  updateOrderStatus: command({
    usage: 'orders status <order> <status>',
    summary: `Move all open packages of an order, so that its status becomes ${settable.join(', ')}.`,
    example: 'orders status pedido-1042 out_for_delivery',
    run: async (session, _options, id, text) => {
      const status = settable.find((each) => each === text);
      if (!status) throw wrongUsage(`The status of an order is set to one of: ${settable.join(', ')}.`);
      await setStatus(session, id, status);
    },
  }),

  cancelOrder: command({
    usage: 'orders cancel <order>',
    summary: 'Cancel an order whose packages are not on their way to recipients yet.',
    example: 'orders cancel 7ZK3M9P2QP1S',
    run: (session, _options, id) => setStatus(session, id, 'cancelled'),
  }),
};
