import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { bodyOf } from '../../src/webhook/body.js';
import { ownFolder } from '../support/folder.js';
import { unseenProperties } from '../support/jest/observed-answers.js';
import { fields, trackingSchema } from './contract-files.js';

/** Answers and bodies have every property of the contracts, even those that the compiler lets be missing. */

const file = join(await ownFolder(), 'answers');

const unseenAfter = async (...seen: string[]): Promise<string[]> => {
  await writeFile(file, seen.join('\n'));
  return unseenProperties(file);
};

test('the check names a property that no test has seen, once for all answers that have it', async () => {
  const all = await unseenAfter();
  const optional = { Delivery: 'ended_at', WebhookAttempt: 'response_body', Figures: 'late' };
  for (const [schema, property] of Object.entries(optional))
    expect(all).toContain(`#/components/schemas/${schema}/properties/${property}`);
  expect(all).toEqual([...new Set(all)]);
  const [missing = '', ...others] = all;
  expect(await unseenAfter(...others)).toEqual([missing]);
});

test('a webhook body holds every property of its contract', () => {
  const location = { city: 'Campinas', state: 'SP' };
  const status = {
    code: 10,
    highLevelStatus: 'Retirar nos correios',
    description: 'Disponível para retirada na agência dos correios.',
    updatedTime: '2026-11-18T14:03:21.123456Z',
    actionRequired: { reasonLabel: 'Endereço', reasonDescription: 'Falta o número.' },
    pickupAgency: { address: 'Rua A, 1', ...location, postalCode: '13010000' },
  };
  const record = {
    loggiKey: '01930f61-4c1d-7b02-a7d1-6f3e2d1c0b53',
    seq: 2,
    trackingCode: '7ZK3M9P2QP1S',
    barcode: '378912345678901232',
    promisedDate: '2026-11-18',
    requestTime: status.updatedTime,
    status,
    location,
    trackingHistory: [{ status, location }],
  };
  const [sent] = JSON.parse(bodyOf([record]).bytes.toString()).packages;
  const parts = {
    TrackedPackage: sent,
    TrackingStatus: sent.status,
    ActionRequired: sent.status.actionRequired,
    PickupAgency: sent.status.pickupAgency,
    TrackingLocation: sent.location,
    TrackingEvent: sent.trackingHistory[0],
  };
  const definitions = fields(trackingSchema['definitions']);
  const ActionRequired = fields(fields(definitions['TrackingStatus'])['properties'])['actionRequired'];
  const described = Object.entries({ ...definitions, ActionRequired }).flatMap(([name, definition]) => {
    const properties = Object.keys(fields(fields(definition)['properties']));
    return properties.length > 0 ? [[name, properties.sort()]] : [];
  });
  const held = Object.entries(parts).map(([name, part]) => [name, Object.keys(part).sort()]);
  expect(Object.fromEntries(held)).toEqual(Object.fromEntries(described));
});
