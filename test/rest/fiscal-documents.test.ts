import { describe, expect, test } from '@jest/globals';
import type { components } from '../../generated/rest.js';
import { checkDigit } from '../../src/base/tax.js';
import { anOrder, present, startGraphql } from '../graphql/client.js';
import { at, atPackage, bodyOf, movement, placeOrder, refusalOf, resultsOf } from '../operator/fixtures.js';
import { orderBody, packageBody } from '../support/bodies.js';
import type { Caller } from '../support/service.js';

const service = await startGraphql();
const { operator } = service;
const client = await service.client();
const ana = client.caller;

type Document = components['schemas']['FiscalDocumentInput'];

let numbers = 0;

/** A fiscal key that no order has. */
function newKey(model = '55'): string {
  numbers += 1;
  const text = `35260912ABC34501DE35${model}001${String(numbers).padStart(9, '0')}112345678`.slice(0, 43);
  return `${text}${checkDigit(text, 9)}`;
}
const invoice = (key = newKey()): Document => ({ kind: 'nfe', key });

const place = (fiscal_document?: Document, who: Caller = ana) =>
  who.rest.POST('/api/v1/orders', { body: orderBody(fiscal_document && { fiscal_document }) });

const reasonOf = async (call: ReturnType<typeof place>) => {
  const { error, response } = await call;
  return [response.status, error?.error.reason, ...(error?.error.details ?? []).map(({ field }) => field)];
};
const FIELD = 'packages.0.fiscal_document';
const keyField = `${FIELD}.key`;
const taken = [409, 'fiscal_key_taken', keyField];

const end = (id: string, status: 'cancelled' | 'completed', who = operator) =>
  bodyOf(who.rest.PUT('/api/v1/orders/{id}/status', { ...at(id), body: { status } }));

const CREATE = `mutation ($input: CreateOrderInput!) { createOrder(input: $input) {
  success orders { packages { fiscalDocument { kind key reason } } } errors { field reason } } }`;

async function placeByB(fiscalDocument: Document) {
  const input = anOrder(client.paymentMethod);
  const packages = [{ ...present(input.packages[0]), fiscalDocument }];
  return (await client.send(CREATE, { variables: { input: { ...input, packages } } })).data?.createOrder;
}

describe('a fiscal document', () => {
  test('is shown with the package by every interface, its key as digits only, or left out if the order has no document', async () => {
    expect((await bodyOf(place())).packages[0]).not.toHaveProperty('fiscal_document');
    const key = newKey();
    const spaced = key.toLowerCase().replace(/.{4}(?=.)/g, '$& ');
    const { id, packages } = await bodyOf(place({ kind: 'nfe', key: spaced }));
    const [{ loggi_key, fiscal_document } = { loggi_key: '' }] = packages;
    expect(fiscal_document).toEqual({ kind: 'nfe', key });
    expect((await bodyOf(ana.rest.GET('/api/v1/orders/{id}', at(id)))).packages).toEqual(packages);
    const seen = await bodyOf(operator.operator.GET('/operator/v1/packages/{loggi_key}', atPackage(loggi_key)));
    expect(seen.fiscal_document).toEqual(fiscal_document);
    const { data } = await client.send(`{ package(loggiKey: "${loggi_key}") { fiscalDocument { kind key reason } } }`);
    expect(data?.package?.fiscalDocument).toEqual({ kind: 'nfe', key, reason: null });
    expect(await placeByB({ kind: 'none', reason: 'Presente' })).toMatchObject({
      orders: [{ packages: [{ fiscalDocument: { kind: 'none', key: null, reason: 'Presente' } }] }],
    });
  });

  test.each<[string, () => Document, string]>([
    ['a wrong check digit', () => invoice(wrongEnd(newKey())), keyField],
    ['a key of another kind', () => ({ kind: 'dce', key: newKey() }), keyField],
    ['no key', () => ({ kind: 'nfe' }), keyField],
    ['a key of none', () => ({ kind: 'none', key: newKey() }), keyField],
    ['a reason beside a key', () => ({ ...invoice(), reason: 'x' }), `${FIELD}.reason`],
  ])('with %s is refused', async (_, make, refused) => {
    expect(await refusalOf(place(make()))).toEqual([400, 'VALIDATION_ERROR', refused]);
  });
});

const wrongEnd = (key: string): string => `${key.slice(0, 43)}${(Number(key.at(-1)) + 1) % 10}`;

describe('a fiscal key', () => {
  test('may belong to several packages for one recipient, but not for two recipients', async () => {
    const fiscal_document = invoice();
    const { packages } = await placeOrder(ana, 3, { fiscal_document });
    expect(packages.map((each) => each.fiscal_document)).toEqual(Array(3).fill(fiscal_document));
    const one = { ...packageBody, fiscal_document: invoice() };
    const other = { ...one, recipient: { name: 'Carla Dias', phone: '+55 11 98888-7777' } };
    const refused = ana.rest.POST('/api/v1/orders', { body: { ...orderBody(), packages: [one, other] } });
    expect(await refusalOf(refused)).toEqual([400, 'VALIDATION_ERROR', 'packages.1.fiscal_document.key']);
  });

  test('is refused by every interface while its order is under way; REST names that order', async () => {
    const document = invoice();
    const { id } = await bodyOf(place(document));
    const { error } = await place(document);
    expect(error?.error).toMatchObject({ code: 'CONFLICT', reason: 'fiscal_key_taken', details: [{ order_id: id }] });
    const errors = [{ field: 'packages.0.fiscalDocument.key', reason: 'fiscal_key_taken' }];
    expect(await placeByB(document)).toEqual({ success: false, orders: [], errors });
    const estimate = ana.rest.POST('/api/v1/estimates', { body: orderBody({ fiscal_document: document }) });
    expect(await refusalOf(estimate)).toEqual([409, 'CONFLICT', keyField]);
    expect((await place(document, await service.customer())).response.status).toBe(201);
  });

  test.each(['cancelled', 'completed'] as const)('is free again when its order is %s', async (status) => {
    const document = invoice();
    const { id } = await bodyOf(place(document));
    await end(id, status);
    expect((await place(document)).response.status).toBe(201);
    expect(await reasonOf(place(document))).toEqual(taken);
  });

  test('is given to only one of several orders that come at once', async () => {
    for (let round = 0; round < 5; round += 1) {
      const document = invoice();
      const answers = await Promise.all([1, 2, 3].map(() => reasonOf(place(document))));
      expect(answers.map(([status]) => status).sort()).toEqual([201, 409, 409]);
      expect(answers.filter(([status]) => status === 409)).toEqual([taken, taken]);
    }
  });

  test('is copied to returns, and stays taken until the last of them has ended', async () => {
    const fiscal_document = invoice();
    const { id, packages } = await placeOrder(ana, 2, { fiscal_document });
    const keys = packages.map(({ loggi_key }) => loggi_key);
    const giveBack = (loggi_key = '') =>
      bodyOf(ana.rest.POST('/api/v1/packages/{loggi_key}/return', { ...atPackage(loggi_key), body: {} }));
    await resultsOf(operator, movement(keys[0] ?? '', { status_code: 5 }));
    const first = await giveBack(keys[0]);
    expect(first.packages[0]?.fiscal_document).toEqual(fiscal_document);
    await end(first.id, 'completed');
    expect(await reasonOf(place(fiscal_document))).toEqual(taken);
    await end(id, 'completed');
    const second = await giveBack(keys[1]);
    expect(await reasonOf(place(fiscal_document))).toEqual(taken);
    await end(second.id, 'cancelled');
    expect((await place(fiscal_document)).response.status).toBe(201);
    const rows = await service.db.selectFrom('fiscal_keys').select('order_ids').execute();
    expect(rows.filter(({ order_ids }) => order_ids.length === 0)).toEqual([]);
  });
});

describe('an account whose packages need a document', () => {
  const rule = (id: string) => operator.operator.GET('/operator/v1/users/{id}/fiscal-rule', at(id));
  const setRule = (id: string, to: 'default' | 'optional' | 'required') =>
    bodyOf(operator.operator.PUT('/operator/v1/users/{id}/fiscal-rule', { ...at(id), body: { rule: to } }));

  test('creates no order without one, and none with `none` but no reason', async () => {
    const other = await service.client();
    const { id } = other.caller;
    expect(await bodyOf(rule(id))).toEqual({ user_id: id, rule: 'default', in_force: 'optional' });
    expect(await setRule(id, 'required')).toEqual({ user_id: id, rule: 'required', in_force: 'required' });
    expect(await bodyOf(rule(id))).toMatchObject({ rule: 'required' });
    const required = [400, 'fiscal_document_required'];
    expect(await reasonOf(place(undefined, other.caller))).toEqual([...required, FIELD]);
    expect(await reasonOf(place({ kind: 'none' }, other.caller))).toEqual([...required, `${FIELD}.reason`]);
    const { data } = await other.send(CREATE, { variables: { input: anOrder(other.paymentMethod) } });
    const errors = [{ field: 'packages.0.fiscalDocument', reason: 'fiscal_document_required' }];
    expect(data?.createOrder?.errors).toEqual(errors);
    const documents: Document[] = [{ kind: 'none', reason: 'Presente' }, invoice(), { kind: 'dce', key: newKey('99') }];
    for (const document of documents) expect((await place(document, other.caller)).response.status).toBe(201);
    await setRule(id, 'default');
    expect((await place(undefined, other.caller)).response.status).toBe(201);
  });

  test('can still change addresses of its orders, and have packages returned', async () => {
    const caller = await service.customer();
    const { packages } = await placeOrder(caller, 2);
    await setRule(caller.id, 'required');
    const [one = '', two = ''] = packages.map(({ loggi_key }) => loggi_key);
    const address = { address: 'Rua Cunha Gago, 700 - Pinheiros, São Paulo - SP, 05421-001' };
    const to = { ...atPackage(one), body: { address } };
    const change = caller.rest.POST('/api/v1/packages/{loggi_key}/address-change', to);
    expect((await bodyOf(change)).changed).toBe(false);
    await resultsOf(operator, movement(two, { status_code: 5 }));
    const back = caller.rest.POST('/api/v1/packages/{loggi_key}/return', { ...atPackage(two), body: {} });
    expect((await back).response.status).toBe(201);
  });
});
