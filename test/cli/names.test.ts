import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { Command } from 'commander';
import { operatorCommands } from '../../src/cli/commands.js';
import { bodyOf, placeOrder } from '../operator/fixtures.js';
import { orderBody } from '../support/bodies.js';
import { PASSWORD } from '../support/password.js';
import { type Caller, operatorLogin } from '../support/service.js';
import { ownService } from '../support/services.js';
import { malote, operatorOf, saying } from './malote.js';

/** Commands take names in place of the ids of the contract. */

const service = await ownService();
const customer = await service.customer();
const cli = operatorOf(service);
const order = await placeOrder(customer, 2);
const [parcel] = order.packages;
if (!parcel) throw new Error('the order has no package');

const newOrder = (caller: Caller, external_id: string) =>
  bodyOf(caller.rest.POST('/api/v1/orders', { body: { ...orderBody(), external_id } }));

describe('a user', () => {
  test('can be named by its e-mail address in any case, as an operand and in an option', async () => {
    const email = customer.email.toUpperCase();
    expect(await cli.json(`users show ${email}`)).toMatchObject({ id: customer.id });
    expect(await cli.json(`phones confirm ${email}`)).toMatchObject({ id: customer.id });
    expect(await cli.json(`payment-methods list ${email}`)).toMatchObject({ data: [{ kind: 'invoice' }] });
    expect(await cli.json(`packages list --user ${email}`)).toMatchObject({ pagination: { total_items: 2 } });
    expect(await cli.json(`endpoints list --user ${email}`)).toMatchObject({ data: [] });
    const log = await cli.json(`audit-log list --operator ${operatorLogin.email}`);
    expect(log).toMatchObject({ data: expect.any(Array) });
  });

  test('is not found by a part of its address', async () => {
    const inner = await service.customer({ email: `x${customer.email}` });
    expect(await cli.json(`users show ${customer.email}`)).toMatchObject({ id: customer.id });
    expect(await cli.json(`users show ${inner.email}`)).toMatchObject({ id: inner.id });
  });

  test.each([
    ['nobody@malote.test', 1, /No user has the e-mail address nobody@malote\.test\. See "malote users list"/],
    ['nobody', 2, /neither the id nor the e-mail address of a user/],
  ])('that does not exist is told: %s', async (name, code, message) => {
    expect(await cli.run(`users show ${name}`)).toEqual({ code, out: '', err: expect.stringMatching(message) });
  });
});

describe('a package', () => {
  test('can be named by its tracking code or barcode, as people type them', async () => {
    const { loggi_key, tracking_code: code, barcode } = parcel;
    const grouped = `${code.slice(0, 4)}-${code.slice(4, 8)}-${code.slice(8)}`.toLowerCase();
    for (const name of [loggi_key, code, grouped, barcode, barcode.replace(/(\d{6})/g, '$1 ')])
      expect(await cli.json(['packages', 'show', name])).toMatchObject({ loggi_key });
    expect(await cli.json(`packages history ${code}`)).toMatchObject({ data: [{ status_code: 1 }] });
    const record = ['movements', 'record', '--package', barcode, '--status', '3'];
    expect(await cli.json(record)).toMatchObject({ result: 'recorded' });
  });

  test.each([
    ['7ZK3M9P2QP1S', 1, /No package has the code 7ZK3M9P2QP1S/],
    ['378912345678901232', 1, /No package has the code 378912345678901232/],
    ['pedido', 2, /"pedido" names no package: give its loggi key, its tracking code .* or its barcode/],
  ])('that does not exist is told: %s', async (name, code, message) => {
    expect(await cli.run(`packages show ${name}`)).toEqual({ code, out: '', err: expect.stringMatching(message) });
  });
});

test('an operator key cancels a package or changes its address after the price was shown', async () => {
  const { packages, pricing } = await newOrder(customer, 'pedido-4');
  const [{ tracking_code: code, loggi_key } = { tracking_code: '', loggi_key: '' }] = packages;
  const key = { name: 'Clerk', scope: 'all', current_password: operatorLogin.password } as const;
  const { secret } = await bodyOf(service.operator.operator.POST('/operator/v1/operator-keys', { body: key }));
  const clerk = malote({ MALOTE_URL: service.url, OPERATOR_KEY: secret });
  const to = ['packages', 'change-address', code, '--address', 'Rua XV de Novembro, 100 - Centro, Santos - SP'];
  const { out } = await clerk.run(to);
  const [, total = ''] = /^total +(\S+)$/m.exec(out) ?? [];
  expect(out).toMatch(/^city +Santos$/m);
  expect(out).toContain(pricing.total);
  expect(await clerk.json([...to, '--total', total])).toMatchObject({ changed: true, total });
  expect(await clerk.json(['packages', 'cancel', code, '--preview'])).toMatchObject({ changed: false });
  expect(await clerk.json(`packages show ${code}`)).toMatchObject({ status: { code: 1 } });
  const cancelled = { changed: true, order_status: 'cancelled', package: { loggi_key } };
  expect(await clerk.json(['packages', 'cancel', code])).toMatchObject({ ...cancelled, previous_total: total, total });
});

describe('an order', () => {
  test('can be named by its id, its external id or a tracking code, and is shown with its packages', async () => {
    const externalId = randomUUID();
    const { id } = await newOrder(customer, externalId);
    expect(await cli.json(['orders', 'show', externalId])).toMatchObject({ id, external_id: externalId });
    expect(await cli.json(`orders get ${order.id}`)).toMatchObject({ id: order.id });
    expect(await cli.json(`orders show ${parcel.tracking_code}`)).toMatchObject({ id: order.id });
    const { out } = await cli.run(`orders show ${parcel.tracking_code}`);
    for (const { tracking_code } of order.packages) expect(out).toContain(tracking_code);
    const listed = await cli.json(['packages', 'list', '--order', externalId]);
    expect(listed).toMatchObject({ pagination: { total_items: 1 } });
  });

  test('must be named by its id when two users have its external id; an unknown name is an error', async () => {
    const other = await service.customer();
    const [first, second] = [await newOrder(customer, 'pedido-7'), await newOrder(other, 'pedido-7')];
    const { code, err } = await cli.run('orders show pedido-7');
    expect([code, err]).toEqual([2, expect.stringContaining(`${first.id} of user ${customer.id}`)]);
    expect(err).toContain(`${second.id} of user ${other.id}`);
    expect(await cli.run('orders show pedido-8')).toMatchObject(saying('No order has the external id pedido-8'));
  });

  test('can be listed, moved on and cancelled', async () => {
    const { id } = await newOrder(customer, 'pedido-9');
    expect(await cli.json('orders list --external-id pedido-9')).toMatchObject({ data: [{ id }] });
    expect((await cli.run('orders list --status created')).out).toContain(id);
    expect(await cli.json('orders status pedido-9 processing')).toMatchObject({ status: 'processing' });
    expect(await cli.json('orders cancel pedido-9')).toMatchObject({ status: 'cancelled' });
    expect(await cli.run('orders status pedido-9 processing')).toMatchObject(saying('CONFLICT'));
    expect((await cli.run('orders status pedido-9 gone')).code).toBe(2);
  });
});

describe('users and operators', () => {
  const person = ['--name', 'Bia Reis', '--phone', '+55 11 91234-5678', '--password-stdin'];

  test('can be changed in single values, and deleted', async () => {
    await cli.json(['users', 'create', '--email', 'bia@malote.test', ...person], PASSWORD);
    const change = ['users', 'update', 'bia@malote.test', '--name', 'Bia Lima'];
    expect(await cli.json(change)).toMatchObject({ name: 'Bia Lima', phone: '+55 11 91234-5678', role: 'customer' });
    await cli.json('users update bia@malote.test --password-stdin', 'another password');
    await service.signIn({ email: 'bia@malote.test', password: 'another password' });
    expect((await cli.run('users update bia@malote.test')).code).toBe(2);
    expect(await cli.run('users delete bia@malote.test')).toMatchObject(saying('malote users hold', 0));
    expect((await cli.run('users show bia@malote.test')).code).toBe(1);
    expect(await cli.json('users erase bia@malote.test')).toHaveProperty('erased_at');
  });

  test('get an error in words for a wrong field, without a pattern', async () => {
    const { code, err } = await cli.run(`users update ${customer.email} --phone none`);
    expect([code, err]).toEqual([1, expect.stringContaining('phone must be a telephone number of 8 to 15 digits')]);
    expect(err).not.toMatch(/[\\^$[\]]{2}|pattern/);
  });

  test('include operators, who can be added and listed without customers', async () => {
    await cli.json(['operators', 'add', '--email', 'caio@malote.test', ...person], PASSWORD);
    expect(await cli.json('operators list')).toMatchObject({
      data: [
        { email: 'caio@malote.test', role: 'operator' },
        { email: operatorLogin.email, role: 'operator' },
      ],
      pagination: { total_items: 2 },
    });
    expect((await cli.run('users list --role customer')).out).not.toContain('caio@malote.test');
  });
});

test('operands and options use one word each for a user, a package and an order', () => {
  const noSession = () => {
    throw new Error('no command runs here');
  };
  const program = new Command('malote');
  for (const mount of operatorCommands.commands) mount(program, noSession, process);
  const leaves = program.commands.flatMap((group) => [group, ...group.commands]);
  const asked = leaves.flatMap((leaf) => [
    ...leaf.registeredArguments.map((operand) => `${leaf.name()} <${operand.name()}>`),
    ...leaf.options.map(({ flags }) => `${leaf.name()} ${flags}`),
  ]);
  const other = /--(user|operator|order|package) <(?!user|order|package)|<(id|loggi-key)>/;
  expect(asked.filter((text) => other.test(text))).toEqual([]);
});
