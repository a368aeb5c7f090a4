import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { secretFields } from '../../generated/redact.js';
import type { components } from '../../generated/rest.js';
import { anOrder, present, startGraphql } from '../graphql/client.js';
import { at, atPackage, bodyOf, movement, placeOrder, refusalOf, resultsOf } from '../operator/fixtures.js';
import { PASSWORD } from '../support/password.js';

const service = await startGraphql();
const { operator } = service;
const client = await service.client();
const ana = client.caller;

const person = { name: 'Bruno Lima', phone: '+55 11 98888-7777' };
const made = (tax_id: string) =>
  operator.rest.POST('/api/v1/users', {
    body: { email: `${randomUUID()}@a.test`, password: PASSWORD, ...person, tax_id },
  });
const recipient = (tax_id: string) => ({ ...person, tax_id });

describe('the tax id of a user', () => {
  test.each([
    ['529.982.247-25', '52998224725'],
    ['12.abc.345/01de-35', '12ABC34501DE35'],
    ['00000000000191', '00000000000191'],
    [' 529.982.247\u201125\u00a0', '52998224725'],
    ['５２９９８２２４７２５', '52998224725'],
  ])('is sent as %s and stored as %s', async (sent, stored) => {
    const { id, tax_id } = await bodyOf(made(sent));
    expect(tax_id).toBe(stored);
    expect(await bodyOf(operator.rest.GET('/api/v1/users/{id}', at(id)))).toMatchObject({ tax_id: stored });
  });

  test('is not stored when it is empty', async () => {
    expect(await bodyOf(made(''))).not.toHaveProperty('tax_id');
  });

  test('stays when it is left out, can change, and is removed by an empty value', async () => {
    const user = await bodyOf(made('529.982.247-25'));
    const update = async (change: Partial<components['schemas']['UserUpdate']>) => {
      const { email, name, phone } = user;
      const body = { email, name, phone, ...change };
      return (await bodyOf(operator.rest.PUT('/api/v1/users/{id}', { ...at(user.id), body }))).tax_id;
    };
    expect(await update({})).toBe('52998224725');
    expect(await update({ tax_id: '12.ABC.345/01DE-35' })).toBe('12ABC34501DE35');
    expect(await update({ tax_id: ' 12.ABC.345/01DE\u201135' })).toBe('12ABC34501DE35');
    expect(await update({ tax_id: '' })).toBeUndefined();
    expect(await bodyOf(operator.rest.GET('/api/v1/users/{id}', at(user.id)))).not.toHaveProperty('tax_id');
  });

  test.each(['529.982.247-26', '111.111.111-11', '12ABC34501DE3', '529 982 247 25'])('is refused: %j', async (text) => {
    expect(await refusalOf(made(text))).toEqual([400, 'VALIDATION_ERROR', 'tax_id']);
  });

  test('is shown to the account by GraphQL', async () => {
    const { name, phone } = await bodyOf(operator.rest.GET('/api/v1/users/{id}', at(ana.id)));
    expect((await client.send('{ me { taxId } }')).data?.me?.taxId).toBeNull();
    const body = { email: ana.email, name, phone, tax_id: '12ABC34501DE35' };
    await bodyOf(operator.rest.PUT('/api/v1/users/{id}', { ...at(ana.id), body }));
    expect((await client.send('{ me { taxId } }')).data?.me?.taxId).toBe('12ABC34501DE35');
  });
});

test('a process of an earlier release erases tax ids by the columns it knows, and no log line has them', async () => {
  const { db } = service;
  const user = await bodyOf(made('529.982.247-25'));
  const { id } = await placeOrder(ana, 1, { recipient: recipient('529.982.247-25') });
  await sql`update accounts set erased_at = now() where id = ${user.id}`.execute(db);
  await sql`update orders set recipients_erased_at = now() where id = ${id}`.execute(db);
  const { rows } = await sql`
    select tax_id as found from accounts where id = ${user.id}
    union all select recipient_tax_id from packages where order_id = ${id}`.execute(db);
  expect(rows).toEqual([{ found: null }, { found: null }]);
  expect(secretFields).toEqual(expect.arrayContaining(['tax_id', 'taxId']));
});

describe('the tax id of a recipient', () => {
  test('is shown as digits only, in the order and, by every interface, in its package', async () => {
    const { id, packages } = await placeOrder(ana, 1, { recipient: recipient('529.982.247-25') });
    const [{ loggi_key } = { loggi_key: '' }] = packages;
    const shown = recipient('52998224725');
    expect(packages).toMatchObject([{ recipient: shown }]);
    expect((await bodyOf(ana.rest.GET('/api/v1/orders/{id}', at(id)))).packages).toEqual(packages);
    const key = atPackage(loggi_key);
    expect(await bodyOf(ana.rest.GET('/api/v1/packages/{loggi_key}', key))).toMatchObject({ recipient: shown });
    expect(await bodyOf(operator.operator.GET('/operator/v1/packages/{loggi_key}', key))).toMatchObject({
      recipient: shown,
    });
    const { data } = await client.send(`{ package(loggiKey: "${loggi_key}") { recipient { name taxId } } }`);
    expect(data?.package?.recipient).toEqual({ name: 'Bruno Lima', taxId: '52998224725' });
  });

  test('is refused when it is wrong, together with every other error', async () => {
    const dimensions = { width: 100, height: 100, length: 100, weight: 1 };
    const bad = placeOrder(ana, 1, { recipient: recipient('529.982.247-26'), dimensions });
    await expect(bad).rejects.toThrow(/packages\.0\.recipient\.tax_id.*packages\.0\.dimensions/);
    const [parcel] = anOrder(client.paymentMethod).packages;
    const query =
      'mutation ($input: CreateOrderInput!) { createOrder(input: $input) { success errors { field message } } }';
    const send = (taxId: string) => {
      const packages = [{ ...present(parcel), recipient: { ...person, taxId } }];
      return client.send(query, { variables: { input: anOrder(client.paymentMethod, { packages }) } });
    };
    const messages = [
      ['12ABC34501DE36', 'must be a CPF or CNPJ: a check digit is wrong'],
      [
        '123456789-0',
        'must be a CPF such as 529.982.247-25 or a CNPJ such as 12.ABC.345/01DE-35, with punctuation or without',
      ],
    ] as const;
    for (const [taxId, message] of messages) {
      const errors = [{ field: 'packages.0.recipient.taxId', message }];
      expect((await send(taxId)).data?.createOrder).toEqual({ success: false, errors });
    }
    expect((await send('12.ABC.345/01DE-35')).data?.createOrder).toEqual({ success: true, errors: [] });
  });

  test('is the tax id of the account when the package is a return', async () => {
    const { packages } = await placeOrder(ana);
    const [{ loggi_key } = { loggi_key: '' }] = packages;
    await resultsOf(operator, movement(loggi_key, { status_code: 5 }));
    const call = ana.rest.POST('/api/v1/packages/{loggi_key}/return', { ...atPackage(loggi_key), body: {} });
    expect((await bodyOf(call)).packages).toMatchObject([{ recipient: { tax_id: '12ABC34501DE35' } }]);
  });
});
