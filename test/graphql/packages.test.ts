import { describe, expect, test } from '@jest/globals';
import { recordMovements } from '../../src/orders/record-movements.js';
import { addStatus } from '../../src/packages/catalogue.js';
import { movement } from '../domain/orders-fixtures.js';
import { anOrder, type Client, present, startGraphql } from './client.js';

const service = await startGraphql();
const [ana, bia] = [await service.client(), await service.client()];

const CREATE = `mutation ($input: CreateOrderInput!) { createOrder(input: $input) {
  orders { pk packages { loggiKey trackingCode } } errors { field message orderPk } } }`;

async function place(who: Client, externalId: string) {
  const { data } = await who.send(CREATE, { variables: { input: anOrder(who.paymentMethod, { externalId }) } });
  const { orders, errors } = present(data?.createOrder);
  const [order] = orders;
  return { pk: order?.pk ?? '', parcel: order?.packages[0], errors };
}

describe('look-ups', () => {
  test('find an order by its external id and a package by its tracking code, but none of another account', async () => {
    const [own, foreign] = [await place(ana, 'pedido-7'), await place(bia, 'pedido-7')];
    const query = `query ($id: String!, $code: String!) {
      orderByExternalId(externalId: $id) { pk externalId packages { trackingCode } }
      packageByTrackingCode(trackingCode: $code) { loggiKey }
    }`;
    const { trackingCode = '', loggiKey } = { ...own.parcel };
    const answer = await ana.send(query, { variables: { id: 'pedido-7', code: trackingCode } });
    expect(answer.data).toEqual({
      orderByExternalId: { pk: own.pk, externalId: 'pedido-7', packages: [{ trackingCode }] },
      packageByTrackingCode: { loggiKey },
    });
    const theirs = await ana.send(query, { variables: { id: 'pedido-8', code: foreign.parcel?.trackingCode } });
    expect(theirs.data).toEqual({ orderByExternalId: null, packageByTrackingCode: null });
    for (const code of ['000000000000', 'x']) {
      const { data } = await ana.send(query, { variables: { id: 'x', code } });
      expect(data).toEqual({ orderByExternalId: null, packageByTrackingCode: null });
    }
    const { errors } = await ana.send(query, { variables: { id: '', code: 'x'.repeat(65) } });
    expect(errors?.map(({ extensions }) => extensions.code)).toEqual(['VALIDATION_ERROR', 'VALIDATION_ERROR']);
  });

  test('find for an operator only its own orders by external id, but every package', async () => {
    const operator = await service.client();
    await service.db.updateTable('accounts').set({ role: 'operator' }).where('id', '=', operator.caller.id).execute();
    const { parcel } = await place(ana, 'pedido-9');
    const { data } = await operator.send(
      `{ orderByExternalId(externalId: "pedido-9") { pk }
      packageByTrackingCode(trackingCode: "${parcel?.trackingCode}") { loggiKey } }`,
    );
    expect(data).toEqual({ orderByExternalId: null, packageByTrackingCode: { loggiKey: parcel?.loggiKey } });
  });

  test('are not needed for a taken external id, because the error names the order', async () => {
    const { pk } = await place(ana, 'once');
    const { errors } = await place(ana, 'once');
    expect(errors).toEqual([{ field: 'externalId', message: 'is taken', orderPk: pk }]);
    const input = anOrder(0, { externalId: 'new' });
    const { data } = await ana.send(CREATE, { variables: { input } });
    expect(data?.createOrder?.errors.map(({ orderPk }) => orderPk)).toEqual([null]);
  });
});

const HISTORY =
  'trackingHistory { status { code final stage updatedTime actionRequired { reasonLabel } pickupAgency { city } } location { city state } }';

const destroyed = { code: 40, name: 'Destruído', description: 'Destruído no transporte.', stage: 'completed' } as const;

describe('trackingHistory', () => {
  test('has the statuses that a package had before, newest first', async () => {
    const { parcel } = await place(ana, 'moved');
    const { loggiKey: key = '', trackingCode } = { ...parcel };
    const actionRequired = { reasonLabel: 'Endereço', reasonDescription: 'Falta o número.' };
    await recordMovements(service.db, [movement(key, 6, { actionRequired, location: null })]);
    await addStatus(service.db, { ...destroyed, requirement: null });
    await recordMovements(service.db, [movement(key, destroyed.code)]);
    const updatedTime = expect.stringMatching(/\.\d{3}Z$/);
    const status = { code: 1, final: false, stage: 'created', updatedTime, actionRequired: null, pickupAgency: null };
    const history = [
      {
        status: { ...status, code: 6, stage: 'processing', actionRequired: { reasonLabel: 'Endereço' } },
        location: null,
      },
      { status, location: { city: 'São Paulo', state: 'SP' } },
    ];
    const query = `{ package(loggiKey: "${key}") { status { code final stage } ...History }
      packageByTrackingCode(trackingCode: "${trackingCode}") { past: ${HISTORY} } }
      fragment History on Package { ${HISTORY} }`;
    for (let time = 0; time < 2; time += 1) {
      expect((await ana.send(query)).data).toEqual({
        package: { status: { code: 40, final: true, stage: 'completed' }, trackingHistory: history },
        packageByTrackingCode: { past: history },
      });
    }
  });

  test.each([
    `{ orders { edges { node { packages { ${HISTORY} } } } } }`,
    `{ order(pk: "1") { packages { ...History } } } fragment History on Package { ${HISTORY} }`,
    `{ orderByExternalId(externalId: "1") { packages { past: ${HISTORY} } } }`,
    `mutation { cancelOrder(pk: "1") { order { packages { ${HISTORY} } } } }`,
  ])('cannot be selected for the packages of an order: %s', async (query) => {
    const { data, errors } = await ana.send(query);
    expect([data, errors?.map(({ message }) => message)]).toEqual([
      undefined,
      ['An operation may select trackingHistory in package and packageByTrackingCode only.'],
    ]);
  });
});
