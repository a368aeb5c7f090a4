import type { AnswerOf } from '../remote/client.js';
import { ANY_PACKAGE, MAX_SHOWN, nameOf, orderIdNamed, packageNamed } from './names.js';
import { objectOf, queryOf, rest as schema } from './schemas.js';
import { orderText, packageText } from './texts.js';
import { reading, type Tool, writing } from './tool.js';

type Order = AnswerOf<'getOrder'>;

/** The part of an order that one answer shows: the order with one page of its packages. */
export function shownOrder(order: Order, page = 1): { order: Order; text: string } {
  const from = (page - 1) * MAX_SHOWN;
  const packages = order.packages.slice(from, from + MAX_SHOWN);
  const count = order.packages.length;
  const part = packages.length < count ? `, shown from ${from + 1} on; \`find\` the order's next page for more` : '';
  const lines = [
    orderText({ ...order, total: order.pricing.total }),
    `${count} package${count === 1 ? '' : 's'}${part}`,
    ...packages.map((each) => `- ${packageText(each)}`),
  ];
  return { order: { ...order, packages }, text: lines.join('\n') };
}

const quote = reading({
  name: 'quote',
  title: 'Price and route of packages',
  description: `What an order would cost and when its packages would arrive. Takes what place_order takes. Nothing is stored, and the price holds for no later order. The answer shows ${MAX_SHOWN} packages at most.`,
  input: schema('OrderCreate'),
  output: schema('OrderEstimate'),
  run: async ({ call }, body) => {
    const estimate = await call('estimateOrder', { body });
    const packages = estimate.packages.slice(0, MAX_SHOWN);
    const services = estimate.services?.map(({ service, pricing, promised_date: date }) => {
      return `- by ${service}: BRL ${pricing.total}, the last package on ${date}`;
    });
    const dates = packages.map(({ promised_date: date }, at) => {
      const value = body.packages[at]?.declared_value;
      return `- package ${at}: ${date}${value === undefined ? '' : `, worth BRL ${value}`}`;
    });
    const what = `${estimate.packages.length} package(s) on a route of ${estimate.route.distance} m`;
    const head = `BRL ${estimate.pricing.total} for ${what}`;
    const text = [head, ...(services ?? []), 'promised for:', ...dates].join('\n');
    return { text, structured: { ...estimate, packages } };
  },
});

const coverage = reading({
  name: 'coverage',
  title: 'Where the carrier works',
  description:
    'Whether the carrier collects and delivers at places, by which services and on which weekdays. Name one place by postal_code, or by city and state; or up to 100 by postal_codes. With a pickup it answers about the way from there.',
  input: queryOf('getCoverage'),
  output: schema('CoverageList'),
  run: async ({ call }, query) => {
    const list = await call('getCoverage', { query });
    return { text: list.data.map(coverageText).join('\n'), structured: list };
  },
});

/** Couriers usually work from Monday to Saturday. */
const USUAL_DAYS = 6;

function coverageText(place: AnswerOf<'getCoverage'>['data'][number]): string {
  const { postal_code, city, state, served, services, weekdays, extra_workdays: extra, message } = place;
  const name = [postal_code, city && `${city} - ${state}`].filter(Boolean).join(', ');
  if (!served) return `- ${name}: not served. ${message}`;
  const days = weekdays.length >= USUAL_DAYS ? [] : [`on ${weekdays.join(', ')}`];
  const later = extra === 0 ? [] : [`${extra} workday(s) later`];
  return `- ${name}: ${[services.join(', '), ...days, ...later].join('; ')}`;
}

const placeOrder = writing({
  name: 'place_order',
  title: 'Place an order',
  description: `Orders the delivery of packages, which is charged to the account: quote first, and let the person agree to the price. The answer shows ${MAX_SHOWN} packages at most.`,
  destructive: false,
  input: schema('OrderCreate'),
  output: schema('Order'),
  run: async ({ call }, { idempotency_key: idempotencyKey, ...body }) => {
    const { order, text } = shownOrder(await call('createOrder', { body, idempotencyKey }));
    return { text, structured: order };
  },
});

const listOrders = reading({
  name: 'list_orders',
  title: 'List orders',
  description: `Orders, newest first, at most ${MAX_SHOWN} at once; pagination.total_items counts all. For today's, set created_from to the last midnight in America/Sao_Paulo (03:00 UTC).`,
  input: queryOf('listOrders'),
  output: schema('OrderList'),
  run: async ({ call }, { page_size = MAX_SHOWN, ...filters }) => {
    const list = await call('listOrders', { query: { ...filters, page_size: Math.min(page_size, MAX_SHOWN) } });
    const { page, total_pages: pages, total_items: total } = list.pagination;
    const lines = list.data.map((order) => `- ${orderText(order)}, ${order.package_count} package(s)`);
    return { text: [`${total} order(s), page ${page} of ${pages}`, ...lines].join('\n'), structured: list };
  },
});

const cancelOrder = writing({
  name: 'cancel_order',
  title: 'Cancel an order',
  description:
    'Cancels an order before any of its packages was collected, with all its packages. It cannot be undone. Repeating it changes nothing.',
  destructive: true,
  input: objectOf({ order: nameOf("The order: its id, its external id, or a package's tracking code or barcode.") }),
  output: schema('Order'),
  run: async (client, { order: name, idempotency_key: idempotencyKey }) => {
    const path = { id: await orderIdNamed(client, name) };
    const answer = await client.call('updateOrderStatus', { path, body: { status: 'cancelled' }, idempotencyKey });
    const { order, text } = shownOrder(answer);
    return { text, structured: order };
  },
});

const cancelPackage = writing({
  name: 'cancel_package',
  title: 'Cancel a package',
  description:
    'Cancels one package that was not collected yet, whatever the others of its order did; that cannot be undone. The others are priced again, and the total never rises. Done again, it changes nothing.',
  destructive: true,
  input: objectOf({ package: nameOf(ANY_PACKAGE) }),
  output: schema('Order'),
  run: async (client, { package: name, idempotency_key: idempotencyKey }) => {
    const path = { loggi_key: (await packageNamed(client, name)).loggi_key };
    const { order: whole } = await client.call('cancelPackage', { path, body: {}, idempotencyKey });
    const { order, text } = shownOrder(whole);
    return { text, structured: order };
  },
});

export const orderTools: readonly Tool[] = [quote, coverage, placeOrder, listOrders, cancelOrder, cancelPackage];
