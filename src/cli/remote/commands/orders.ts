import { command, type Session } from '../../command.js';
import { wrongUsage } from '../../errors.js';
import type { Printer } from '../../printer.js';
import type { AnswerOf, BodyOf } from '../client.js';
import { operation, table } from '../operation.js';

type Status = BodyOf<'updateOrderStatus'>['status'];

const settable: readonly Status[] = ['processing', 'out_for_delivery', 'completed', 'cancelled'];

/** Shows an order for people: the order, then a row per package. */
function show(print: Printer, order: AnswerOf<'getOrder'>): void {
  const { packages, pickups, route, pricing, ...rest } = order;
  const sender = pickups.map(({ address }) => address.address).join('; ');
  print.record(order, { ...rest, total: pricing.total, distance: `${route.distance} m`, pickups: sender });
  print.rows(packages, [
    'loggi_key',
    'tracking_code',
    ['status', ({ status }) => `${status.code} ${status.high_level_status}`],
    ['since', ({ status }) => status.updated_at],
    ['recipient', ({ recipient }) => recipient.name],
    ['city', ({ resolved_address: { city, state } }) => `${city} - ${state}`],
    'promised_date as promised',
  ]);
}

const setStatus = async ({ call, print }: Session, id: string, status: Status): Promise<void> =>
  show(print, await call('updateOrderStatus', { path: { id }, body: { status } }));

const showOrders = table<AnswerOf<'listAllOrders'>['data'][number]>([
  'id',
  'external_id',
  'user_id as user',
  'status',
  'total',
  'package_count as packages',
  'created_at',
]);

/** Commands about orders. Operators see the orders of all accounts. */
export const orders = {
  listOrders: operation('listOrders', 'orders list', {
    summary: 'List orders, newest first.',
    example: '--status created --from 2026-11-01T00:00:00Z',
    show: showOrders,
  }),
  listAllOrders: operation('listAllOrders', 'orders search', {
    summary: 'Find orders by a code, an external id, or the name or phone of a recipient, newest first.',
    example: "--text 'Marta Lima' --user ana@example.com",
    show: showOrders,
  }),
  getOrder: operation('getOrder', 'orders show <order>', {
    alias: 'get',
    summary: 'Show an order with its packages.',
    show,
  }),
  updateOrderStatus: command({
    usage: 'orders status <order> <status>',
    summary: `Move all open packages of an order, so that its status becomes ${settable.join(', ')}.`,
    example: 'pedido-1042 out_for_delivery',
    run: async (session, _options, id, text) => {
      const status = settable.find((each) => each === text);
      if (!status) throw wrongUsage(`The status of an order is set to one of: ${settable.join(', ')}.`);
      await setStatus(session, id, status);
    },
  }),
  cancelOrder: command({
    usage: 'orders cancel <order>',
    summary: 'Cancel an order whose packages are not on their way to recipients yet.',
    example: '7ZK3M9P2QP1S',
    run: (session, _options, id) => setStatus(session, id, 'cancelled'),
  }),
};
