import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { bodyOf, movement, newPackage, newPackages, newWaitingPackage, resultsOf } from '../operator/fixtures.js';
import { present, startGraphql } from './client.js';

const service = await startGraphql();
const client = await service.client();

const ANSWER = `
  mutation ($input: AnswerInput!) {
    answerActionRequired(input: $input) {
      success applied package { loggiKey instructions recipient { phone } address { address } } errors { field code reason message }
    }
  }`;
const RETURN = `
  mutation ($input: ReturnInput!) {
    returnPackage(input: $input) { success order { pk packages { recipient { name } } } errors { field code reason message orderPk } }
  }`;

const answer = async (input: object) =>
  present((await client.send(ANSWER, { variables: { input } })).data?.answerActionRequired);
const giveBack = async (input: object) =>
  present((await client.send(RETURN, { variables: { input } })).data?.returnPackage);

describe('answerActionRequired', () => {
  test('corrects the fields of the package, and makes a task for the operator', async () => {
    const loggiKey = await newWaitingPackage(service.operator, client.caller);
    const address = { address: 'Rua XV de Novembro, 100 - Centro, Santos - SP' };
    const input = { loggiKey, phone: '+55 11 90000-1111', instructions: 'Portão azul.', address, note: 'Ring twice.' };
    expect(await answer(input)).toMatchObject({
      success: true,
      applied: ['phone', 'instructions'],
      package: { loggiKey, instructions: 'Portão azul.', recipient: { phone: '+55 11 90000-1111' } },
      errors: [],
    });
    const params = { query: { loggi_key: loggiKey } };
    const { data } = await bodyOf(service.operator.operator.GET('/operator/v1/tasks', { params }));
    expect(data).toMatchObject([{ state: 'open', address, note: 'Ring twice.' }]);
  });

  test('names the errors in the result', async () => {
    const loggiKey = await newWaitingPackage(service.operator, client.caller);
    const fieldsOf = async (input: object) => {
      const { success, errors } = await answer(input);
      return [success, ...errors.map(({ field }) => field)];
    };
    expect(await fieldsOf({ loggiKey })).toEqual([false, 'input']);
    expect(await fieldsOf({ loggiKey, phone: 'x', note: 'x\u0000' })).toEqual([false, 'phone', 'note']);
    expect(await fieldsOf({ loggiKey, address: { address: 'lugar nenhum' } })).toEqual([false, 'address.address']);
    expect(await fieldsOf({ loggiKey: randomUUID(), note: 'x' })).toEqual([false, 'loggiKey']);
    expect(await fieldsOf({ loggiKey: await newPackage(client.caller), note: 'x' })).toEqual([false, 'loggiKey']);
  });
});

describe('returnPackage', () => {
  test('creates the return order once, and the package names it', async () => {
    const loggiKey = await newPackage(client.caller);
    await resultsOf(service.operator, movement(loggiKey, { status_code: 5 }));
    const { success, order } = await giveBack({ loggiKey, externalId: 'volta-1' });
    expect([success, order?.packages[0]?.recipient.name]).toEqual([true, 'Ana Souza']);
    const { data } = await client.send(`{ package(loggiKey: "${loggiKey}") { returnedBy } }`);
    expect(data?.package?.returnedBy).toBe(order?.pk);
    const errors = [
      { field: 'loggiKey', code: 'taken', reason: 'return_exists', message: 'is returned', orderPk: order?.pk },
    ];
    expect(await giveBack({ loggiKey })).toMatchObject({ success: false, errors });
  });

  test('names the errors in the result', async () => {
    const loggiKey = await newPackage(client.caller);
    const fieldsOf = async (input: object) => (await giveBack(input)).errors.map(({ field }) => field);
    expect(await fieldsOf({ loggiKey })).toEqual(['loggiKey']);
    await resultsOf(service.operator, movement(loggiKey, { status_code: 5 }));
    expect(await fieldsOf({ loggiKey, paymentMethod: 2_000_000_000 })).toEqual(['paymentMethod']);
    expect(await fieldsOf({ loggiKey, externalId: '\0' })).toEqual(['externalId']);
    expect(await fieldsOf({ loggiKey, externalId: '' })).toEqual([]);
  });
});

const CHANGED_FIELDS = `success changed previousPricing { totalCm } order { status pricing { totalCm } packages { loggiKey
  status { code } address { address } } } errors { field message }`;
const cancelling = `mutation ($loggiKey: String!, $preview: Boolean! = false) {
  cancelPackage(loggiKey: $loggiKey, preview: $preview) { ${CHANGED_FIELDS} } }`;
const changing = `mutation ($input: AddressChangeInput!) { changeAddress(input: $input) { ${CHANGED_FIELDS} } }`;

describe('cancelPackage', () => {
  const cancel = async (loggiKey: string, preview = false) =>
    present((await client.send(cancelling, { variables: { loggiKey, preview } })).data?.cancelPackage);

  test('tells the price, then cancels the package and leaves the others', async () => {
    const [loggiKey = ''] = await newPackages(client.caller, 2);
    const preview = await cancel(loggiKey, true);
    expect(preview).toMatchObject({ success: true, changed: false, errors: [] });
    const cancelled = await cancel(loggiKey);
    expect(cancelled).toMatchObject({ changed: true, previousPricing: preview.previousPricing });
    expect(cancelled.order?.pricing).toEqual(preview.order?.pricing);
    expect(Number(cancelled.order?.pricing.totalCm)).toBeLessThan(Number(preview.previousPricing?.totalCm));
    const { status, packages = [] } = cancelled.order ?? {};
    expect([status, packages.map((each) => each.status.code)]).toEqual(['created', [2, 1]]);
    expect(await cancel(loggiKey)).toMatchObject({ success: true, previousPricing: cancelled.order?.pricing });
  });

  test('says in the result why a package cannot be cancelled', async () => {
    const [first = ''] = await newPackages(client.caller, 2);
    await resultsOf(service.operator, movement(first, { status_code: 14 }));
    for (const key of [first, randomUUID(), await newPackage(await service.customer())])
      expect(await cancel(key)).toMatchObject({ success: false, order: null, errors: [{ field: 'loggiKey' }] });
  });
});

describe('changeAddress', () => {
  const change = async (input: object) =>
    present((await client.send(changing, { variables: { input } })).data?.changeAddress);
  const address = { address: 'Rua XV de Novembro, 100 - Centro, Santos - SP' };

  test('shows the price, and changes the address when that total is sent back', async () => {
    const [first = '', loggiKey = ''] = await newPackages(client.caller, 2);
    await resultsOf(service.operator, movement(first, { status_code: 14 }));
    const preview = await change({ loggiKey, address });
    expect(preview).toMatchObject({ success: true, changed: false });
    const total = preview.order?.pricing.totalCm;
    const changed = await change({ loggiKey, address, total });
    expect(changed).toMatchObject({ changed: true, order: { status: 'processing', pricing: { totalCm: total } } });
    expect(changed.order?.packages[1]?.address).toEqual(address);
  });

  test('names the errors in the result', async () => {
    const fieldsOf = async (input: object) => (await change(input)).errors.map(({ field }) => field);
    const loggiKey = await newPackage(client.caller);
    expect(await fieldsOf({ loggiKey, address: { address: 'lugar nenhum' } })).toEqual(['address.address']);
    expect(await fieldsOf({ loggiKey, address, total: 'much' })).toEqual(['total']);
    expect(await fieldsOf({ loggiKey, address, total: '0.01' })).toEqual(['total']);
    await resultsOf(service.operator, movement(loggiKey, { status_code: 14 }));
    expect(await fieldsOf({ loggiKey, address })).toEqual(['loggiKey']);
  });
});
