import { describe, expect, test } from '@jest/globals';
import { moveDuePackages } from '../../src/orders/sandbox.js';
import { courseOf } from '../../src/packages/sandbox/course.js';
import { codeRing } from '../domain/orders-fixtures.js';
import { bodyOf, movement, placeOrder, resultsOf } from '../operator/fixtures.js';
import { ownService } from '../support/services.js';
import { operatorOf } from './malote.js';

const service = await ownService();
const customer = await service.customer();
const operator = operatorOf(service);

type Order = Awaited<ReturnType<typeof placeOrder>>;

const lines = (out: string) => out.trimEnd().split('\n');
const statusOf = async ({ id }: Order) =>
  (await bodyOf(customer.rest.GET('/api/v1/orders/{id}', { params: { path: { id } } }))).status;
const codesOf = async (key: string) => {
  const params = { path: { loggi_key: key }, query: { page_size: 100 } };
  const list = service.operator.operator.GET('/operator/v1/packages/{loggi_key}/movements', { params });
  return (await bodyOf(list)).data.map((each) => each.status_code).reverse();
};
const planned = ({ pickups, packages: [parcel] }: Order) => {
  const [from, to] = [pickups[0]?.resolved_address, parcel?.resolved_address];
  if (!from || !to || !parcel) throw new Error('the order has no package');
  const { city, state, postal_code: postalCode = null } = to;
  const steps = courseOf({ loggiKey: parcel.loggi_key, origin: from, destination: { city, state }, postalCode });
  return steps.map(({ statusCode }) => statusCode);
};

/** The recipients of the delivered packages, each with the state of the PIN. */
async function proofsOf({ packages }: Order): Promise<Set<string>> {
  const proofs = new Set<string>();
  for (const { loggi_key } of packages) {
    const params = { path: { loggi_key } };
    const { data } = await service.operator.operator.GET('/operator/v1/packages/{loggi_key}/proof', { params });
    if (data) proofs.add(`${data.recipient_name} ${data.pin}`);
  }
  return proofs;
}

describe('malote simulate', () => {
  test('moves every package to its end and prints each movement as it happens', async () => {
    const order = await placeOrder(customer, 6, { delivery_pin: true });
    const result = await operator.run(`simulate ${order.id} --pace 0`);
    expect(result.code).toBe(0);
    expect(result.out).toMatch(/^\d\d:\d\d:\d\d {2}[0-9A-Z*~$=]{12} {2}14 Coletado, São Paulo\/SP\n/);
    for (const { tracking_code } of order.packages) {
      const own = lines(result.out).filter((line) => line.includes(tracking_code));
      expect(own.at(-1)).toMatch(/ (5 Entregue|8 Devolvido), /);
    }
    expect(await statusOf(order)).toBe('completed');
    expect(await proofsOf(order)).toEqual(new Set(['Bruno Lima overridden']));
    const again = await operator.run(`simulate ${order.id} --pace 0`);
    expect([again.code, again.out]).toEqual([0, '']);
    expect(again.err).toContain('has arrived already.');
  });

  test('prints a movement on one line of JSON for scripts, in the names of the contract', async () => {
    const order = await placeOrder(customer);
    const result = await operator.run(`simulate ${order.id} --pace 0 --json`);
    const movements = lines(result.out).map((line) => JSON.parse(line));
    expect(movements.map((each) => each.status_code)).toEqual(planned(order));
    expect(movements[0]).toMatchObject({
      loggi_key: order.packages[0]?.loggi_key,
      tracking_code: order.packages[0]?.tracking_code,
      status_code: 14,
      location: { city: 'São Paulo', state: 'SP' },
      result: 'recorded',
    });
  });

  test('continues where the sandbox or an earlier run ended, with the same ids', async () => {
    const order = await placeOrder(customer);
    expect(await moveDuePackages(service.db, codeRing, 0)).toBe(1);
    const result = await operator.run(`simulate ${order.id} --pace 0 --json`);
    expect(lines(result.out).map((line) => JSON.parse(line).status_code)).toEqual(planned(order).slice(1));
    expect(await codesOf(order.packages[0]?.loggi_key ?? '')).toEqual([1, ...planned(order)]);
  });

  test('pauses, and does not move a package that was cancelled meanwhile', async () => {
    const order = await placeOrder(customer);
    const key = order.packages[0]?.loggi_key ?? '';
    const { fetch } = globalThis;
    // Cancels the package after its first movement, before the command gets the answer.
    globalThis.fetch = async (url, init) => {
      const answer = await fetch(url, init);
      if (!String(url).endsWith('/operator/v1/movements')) return answer;
      globalThis.fetch = fetch;
      await resultsOf(service.operator, movement(key, { status_code: 2 }));
      return answer;
    };
    const { code, out, err } = await operator.run(`simulate ${order.id} --pace 1 --json`);
    expect(lines(out).map((line) => JSON.parse(line))).toMatchObject([
      { status_code: 14, result: 'recorded' },
      { status_code: 17, result: 'refused', code: 'CONFLICT' },
    ]);
    expect([code, err]).toEqual([1, 'malote: Movements refused: 1.\n']);
  });
});
