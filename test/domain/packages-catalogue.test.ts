import { expect, test } from '@jest/globals';
import { addRateCard, currentRateCard, getRateCard, rateCards } from '../../src/orders/rates.js';
import { recordMovements } from '../../src/orders/record-movements.js';
import { addStatus, type CatalogueStatus, getStatus, listStatuses } from '../../src/packages/catalogue.js';
import { ownDatabase } from '../support/services.js';
import { faultOf } from './accounts-fixtures.js';
import { makeOrdered, movement } from './orders-fixtures.js';

const { db } = await ownDatabase();

const customs = {
  code: 19,
  name: 'Retido na alfândega',
  description: 'Aguarda a liberação.',
  requirement: 'action_required' as const,
  final: false,
  stage: 'processing' as const,
};

test('the catalogue has the codes of the source and takes new ones, for use at once', async () => {
  expect((await listStatuses(db)).map(({ code }) => code)).toEqual([1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 14, 17, 18]);
  expect(await addStatus(db, customs)).toEqual(customs);
  expect(await getStatus(db, 19)).toEqual(customs);
  const { keys } = await makeOrdered(db);
  const actionRequired = { reasonLabel: 'Imposto', reasonDescription: 'Pague o imposto.' };
  const { outcomes } = await recordMovements(db, [movement(keys[0] ?? '', 19, { actionRequired })]);
  expect(outcomes).toMatchObject([{ result: 'recorded' }]);
});

test('a code that is there, or ends without ending, is refused', async () => {
  const refused = (more: Partial<CatalogueStatus>) => faultOf(addStatus(db, { ...customs, ...more }));
  expect(await refused({ code: 5 })).toEqual({ code: 'CONFLICT', fields: ['code'] });
  expect(await refused({ code: 20, stage: 'completed' })).toEqual({ code: 'VALIDATION_ERROR', fields: ['final'] });
  expect(await refused({ code: 20, final: true })).toEqual({ code: 'VALIDATION_ERROR', fields: ['final'] });
  expect(await getStatus(db, 20)).toBeUndefined();
});

test('rate cards get the next version each, also when they come at once', async () => {
  const base = { base_centavos: 1, per_km_centavos: 2, per_kg_centavos: 3 };
  const none = { urban_km: null, zones: null, ad_valorem: null };
  const rates = { ...base, per_extra_stop_centavos: 4, volumetric_cm3_per_kg: 50, ...none };
  await Promise.all(Array.from({ length: 4 }, () => addRateCard(db, rates)));
  expect((await rateCards(db)).map(({ version }) => version)).toEqual([5, 4, 3, 2, 1]);
  expect(await currentRateCard(db)).toMatchObject({ ...rates, version: 5 });
  expect(await getRateCard(db, 9)).toBeUndefined();
});
