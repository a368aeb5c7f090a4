import { describe, expect, test } from '@jest/globals';
import { movement, placeOrder, record } from '../operator/fixtures.js';
import { endpointBody } from '../support/bodies.js';
import { must } from '../support/http.js';
import { operatorLogin } from '../support/service.js';
import { ownService } from '../support/services.js';
import { Visitor } from './visitor.js';

/** Nothing ends by one click: a page says what ends, and the gravest actions need a typed name. */

const service = await ownService();
const visit = new Visitor(service.url);
await visit.signIn(operatorLogin);

async function newEndpoint(body: ReturnType<typeof endpointBody>): Promise<string> {
  const { endpoint } = must(await service.operator.operator.POST('/operator/v1/webhook-endpoints', { body }));
  return `/console/webhook-endpoints/${endpoint.id}`;
}

async function endpointWithDeliveries() {
  const customer = await service.customer();
  const at = await newEndpoint(endpointBody(customer.id));
  const { packages } = await placeOrder(customer, 1);
  await record(service.operator, movement(packages[0]?.loggi_key ?? '', { status_code: 3 }));
  return { customer, at };
}

test('a page on which something can be ended has a link to a question, and no button that ends it', async () => {
  const { customer, at } = await endpointWithDeliveries();
  for (const page of [at, `/console/users/${customer.id}`]) {
    const { text } = await visit.get(page);
    const paths = [...text.matchAll(/class="button danger" href="([^"]+)"/g)].map(([, path = '']) => path);
    expect(paths.length).toBeGreaterThan(1);
    for (const path of paths) expect(text).not.toContain(`action="${path}"`);
  }
});

test('a new signing secret is made only on a page that says how long the present one stays valid', async () => {
  const { at } = await endpointWithDeliveries();
  expect((await visit.get(at)).text).toContain(`class="button danger" href="${at}/secret-rotation"`);
  const question = await visit.get(`${at}/secret-rotation`);
  expect(question.text).toContain('por mais 24 horas');
  expect(question.text).not.toContain('whsec_');
  const { text } = await visit.submit(`${at}/secret-rotation`);
  expect(text).toMatch(/<code class="secret">whsec_/);
  expect(text).toMatch(/O segredo anterior vale até: <time/);
});

describe('deleting a webhook endpoint', () => {
  test('shows how much is lost, and needs the name of its host', async () => {
    const { at } = await endpointWithDeliveries();
    expect((await visit.get(`${at}/deletion`)).text).toMatch(/nunca serão feitos: [1-9]/);
    const refused = await visit.submit(`${at}/deletion`);
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('Confirmação: não confere')]);
    expect((await visit.get(at)).status).toBe(200);
    const done = await visit.end(`${at}/deletion`, { confirmation: '127.0.0.1:8443' });
    expect(done.path).toBe('/console/webhook-endpoints?done=saved');
    expect((await visit.get(at)).status).toBe(404);
  });

  test('needs only a confirmation when nothing waits', async () => {
    const at = `${await newEndpoint(endpointBody((await service.customer()).id))}/deletion`;
    expect((await visit.get(at)).text).not.toContain('name="confirmation"');
    expect((await visit.submit(at)).path).toBe('/console/webhook-endpoints?done=saved');
  });
});

describe('an account', () => {
  test('is deactivated by typing its e-mail address, on a page that shows what it has under way', async () => {
    const { customer } = await endpointWithDeliveries();
    const at = `/console/users/${customer.id}/deactivation`;
    const { text } = await visit.get(at);
    expect(text).toContain('Pedidos em andamento, que seguem até a entrega: 1');
    expect(text).toContain('Webhooks excluídos, com o que espera neles: 1');
    expect((await visit.submit(at, { confirmation: 'ana' })).status).toBe(400);
    const list = await visit.submit(at, { confirmation: customer.email });
    expect(list).toMatchObject({ path: '/console/deleted-users?done=deactivated' });
    expect(list.text).toContain(customer.email);
  });

  test('can be reactivated with a new password until it is erased', async () => {
    const { id, email } = await service.customer();
    await visit.end(`/console/users/${id}/deactivation`, { confirmation: email });
    const at = `/console/deleted-users/${id}/reactivation`;
    expect(await visit.end(at, { password: 'short' })).toMatchObject({ status: 400 });
    const unproved = await visit.submit(at, { password: 'a new password', current_password: 'not it' });
    expect(unproved.text).toContain('<a href="#current_password">Senha atual: não confere</a>');
    const proof = { current_password: operatorLogin.password };
    const { path } = await visit.submit(at, { password: 'a new password', ...proof });
    expect(path).toBe(`/console/users/${id}?done=reactivated`);
  });

  test('is erased by typing its name', async () => {
    const { id, email } = await service.customer();
    await visit.end(`/console/users/${id}/deactivation`, { confirmation: email });
    const at = `/console/deleted-users/${id}/erasure`;
    expect((await visit.end(at, { confirmation: 'Ana' })).status).toBe(400);
    const list = await visit.submit(at, { confirmation: 'Ana Souza' });
    expect(list.path).toBe('/console/deleted-users?done=saved');
    expect(list.text).not.toContain(email);
  });
});
