import { randomUUID } from 'node:crypto';
import { orderBody, packageBody } from '../../test/support/bodies.js';
import { accessToken, ask, type Login } from '../../test/support/http.js';
import type { Customer } from '../../test/support/processes/orders.js';

/** An order that was answered 201, and its later movement. Times are those of this machine's clock. */
export interface PlacedOrder {
  id: string;
  /** The sent body, and its idempotency key. */
  request: OrderRequest;
  codes: string[];
  sentAt: number;
  answeredAt: number;
  /** The movement recorded for its package, and the time of the answer. */
  moved?: { id: string; sentAt: number; answeredAt: number };
}

/** Clients that create orders and record one movement for each package, one request at a time. */
export interface Load {
  placed: PlacedOrder[];
  stop(): Promise<void>;
}

export async function startLoad(url: string, customer: Customer, operator: Login, clients: number): Promise<Load> {
  const tokens = { customer: await accessToken(url, customer), operator: await accessToken(url, operator) };
  const placed: PlacedOrder[] = [];
  let isStopping = false;
  const client = async (): Promise<void> => {
    while (!isStopping) {
      const answer = await placeOrder(url, tokens.customer, newRequest()).catch(() => undefined);
      if (!answer) return;
      const order: PlacedOrder = answer;
      placed.push(order);
      const moved = await move(url, tokens.operator, answer.loggiKey).catch(() => undefined);
      if (moved) order.moved = moved;
    }
  };
  const running = Array.from({ length: clients }, client);
  const stop = async () => {
    isStopping = true;
    await Promise.all(running);
  };
  return { placed, stop };
}

interface OrderAnswer {
  id: string;
  packages: { loggi_key: string; tracking_code: string; barcode: string }[];
}

interface OrderRequest {
  key: string;
  body: object;
}

/** An order of three packages. */
export const newRequest = (): OrderRequest => ({
  key: randomUUID(),
  body: { ...orderBody(), packages: [packageBody, packageBody, packageBody] },
});

/** `isReplay` is true if the key was used before. */
export async function placeOrder(url: string, token: string, request: OrderRequest) {
  const sentAt = Date.now();
  const headers = { 'Idempotency-Key': request.key };
  const answer = await ask(url, 'POST', '/api/v1/orders', { token, headers, body: request.body });
  if (answer.status !== 201) throw new Error(`answered ${answer.status} ${answer.text}`);
  const { id, packages }: OrderAnswer = JSON.parse(answer.text);
  const codes = packages.flatMap(({ tracking_code, barcode }) => [tracking_code, barcode]);
  const isReplay = answer.headers.has('idempotent-replayed');
  const loggiKey = packages[0]?.loggi_key ?? '';
  return { id, request, codes, loggiKey, isReplay, sentAt, answeredAt: Date.now() };
}

async function move(url: string, token: string, loggiKey: string) {
  const [id, sentAt] = [randomUUID(), Date.now()];
  const location = { city: 'Campinas', state: 'SP' };
  const movement = { id, loggi_key: loggiKey, status_code: 3, happened_at: new Date().toISOString(), location };
  const answer = await ask(url, 'POST', '/operator/v1/movements', { token, body: { movements: [movement] } });
  if (answer.status >= 400) throw new Error(`answered ${answer.status} ${answer.text}`);
  return { id, sentAt, answeredAt: Date.now() };
}
