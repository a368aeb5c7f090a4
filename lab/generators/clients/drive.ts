import { client } from './client.js';
import { env } from './env.js';

/** A generated client behind one interface, with as little code as its generator allows. */
export interface Client {
  login(login: { email: string; password: string }): Promise<{ access_token: string }>;
  createProduct(token: string, product: ReturnType<typeof newProduct>): Promise<{ id: string }>;
  createOrder(token: string, order: ReturnType<typeof orderOf>): Promise<Order>;
  listOrders(token: string): Promise<{ pagination: { total_items: number } }>;
  getOrder(token: string, id: string): Promise<Order>;
  /** The error code in the answer for an unknown order. */
  missingOrder(token: string, id: string): Promise<string | undefined>;
  getLabel(token: string, loggiKey: string): Promise<Blob>;
  /** The result of the first movement. */
  recordMovement(token: string, movement: ReturnType<typeof delivery>): Promise<string | undefined>;
  putPhoto(token: string, loggiKey: string, photo: Blob): Promise<void>;
  sendAllNow(token: string): Promise<{ bodies: number }>;
}

interface Order {
  id: string;
  pricing: { total: string };
  packages: { loggi_key: string; tracking_code: string }[];
}

function demand(holds: boolean, what: string): void {
  if (!holds) throw new Error(`${what} did not come out as it should`);
}

const newProduct = () => ({
  sku: crypto.randomUUID(),
  name: 'Café torrado 500 g',
  price: '38.50',
  dimensions: { width: 12, height: 6, length: 20, weight: 520 },
});

const orderOf = (content: Content) => ({
  pickups: [{ address: { address: 'Av. Paulista, 1578 - Bela Vista, São Paulo - SP, 01310-200' } }],
  packages: [
    {
      pickup_index: 0,
      recipient: { name: 'Bruno Lima', phone: '+55 11 98888-7777' },
      address: { address: 'Rua dos Pinheiros, 498 - Pinheiros, São Paulo - SP, 05422-000', complement: 'ap 12' },
      ...content,
    },
  ],
});

type Content =
  | { dimensions: { width: number; height: number; length: number; weight: number } }
  | { items: { product_id: string; quantity: number }[] };

const delivery = (loggi_key: string) => ({
  id: crypto.randomUUID(),
  loggi_key,
  status_code: 5,
  happened_at: new Date().toISOString(),
  proof: { recipient_name: 'Marta Lima' },
});

/** A PNG of 4 × 4 pixels. */
const PICTURE =
  'iVBORw0KGgoAAAANSUhEUgAAAAQAAAAECAYAAACp8Z5+AAAABHNCSVQICAgIfAhkiAAAAAFzUkdCAK7OHOkAAAAMSURBVAiZY2CgHAAAAEQAAYL+ZUsAAAAASUVORK5CYII=';
const photo = new Blob([Uint8Array.from(atob(PICTURE), (character) => character.charCodeAt(0))]);

const { access_token: token } = await client.login({ email: env('MALOTE_EMAIL'), password: env('MALOTE_PASSWORD') });
const { id: product_id } = await client.createProduct(token, newProduct());
const order = await client.createOrder(token, orderOf({ dimensions: newProduct().dimensions }));
await client.createOrder(token, orderOf({ items: [{ product_id, quantity: 2 }] }));
demand((await client.listOrders(token)).pagination.total_items >= 2, 'the list of orders');
const { packages, pricing } = await client.getOrder(token, order.id);
demand(/^\d+\.\d\d$/.test(pricing.total), 'the price');
demand((await client.missingOrder(token, crypto.randomUUID())) === 'NOT_FOUND', 'an order that is not there');
const [first] = packages;
if (!first) throw new Error('the order has no package');
demand((await (await client.getLabel(token, first.loggi_key)).text()).startsWith('%PDF'), 'the label');

const operator = { email: env('MALOTE_OPERATOR_EMAIL'), password: env('MALOTE_OPERATOR_PASSWORD') };
const { access_token: operatorToken } = await client.login(operator);
demand((await client.recordMovement(operatorToken, delivery(first.loggi_key))) === 'recorded', 'the movement');
await client.putPhoto(operatorToken, first.loggi_key, photo);
demand((await client.sendAllNow(operatorToken)).bodies === 0, 'sending what waits');
