import { describe, expect, test } from '@jest/globals';
import { bundled } from '../../scripts/codegen/openapi.js';
import { sampleBody } from '../../src/webhook/body.js';
import { absentRecords, bodyFor, type Records } from '../support/bodies.js';
import { type Answer, ask } from '../support/http.js';
import { PASSWORD } from '../support/password.js';
import { newRecords, pathFor } from '../support/records.js';
import { begunFactor, newOperator } from '../support/second-factor.js';
import { ownService } from '../support/services.js';
import { fields, fileText } from './contract-files.js';
import { complaintsAbout, type Described, describedBy } from './oracle.js';
import { schemaCheck } from './schema-check.js';

/**
 * Clients of the last release, against this service. Operations are called as the last contract describes them. Answers
 * are read like by a strict client of that contract, which ignores new fields and values.
 */

const released = {
  rest: fields(await bundled('contracts/released/openapi.yaml')),
  operator: fields(await bundled('contracts/released/operator.openapi.yaml')),
};
const checks = {
  rest: schemaCheck(released.rest, { open: true }),
  operator: schemaCheck(released.operator, { open: true }),
};

/** These operations end records of other operations, so they come last. */
const endingIds = [
  'updateOrderStatus',
  'replayDeliveries',
  'disableWebhookEndpoint',
  'deleteWebhookEndpoint',
  'deleteProduct',
  'removeMember',
  'deleteUser',
];
const operations = [...describedBy('rest', released.rest), ...describedBy('operator', released.operator)]
  .filter(({ isStatic }) => !isStatic)
  .sort((one, other) => endingIds.indexOf(one.id) - endingIds.indexOf(other.id));

const service = await ownService();
const records = await newRecords(service);

const call = (operation: Described, of: Records, token = service.proven.token): Promise<Answer> =>
  ask(service.url, operation.method, pathFor(operation, of), { token, body: bodyFor(operation, records) });

/** These need new records: packages that have not moved, or a user that another operation erases. */
const ofNewRecords = ['cancelPackageForShipper', 'changeAddressForShipper', 'reactivateUser', 'receiveCollection'];

/** A call that succeeds. To confirm a second factor, a new operator sends the code of its app. */
async function succeeding(operation: Described): Promise<Answer> {
  if (ofNewRecords.includes(operation.id)) return call(operation, await newRecords(service));
  if (operation.id === 'issueToken') return call(operation, records, '');
  // These records belong to the calling account.
  if (['getStatement', 'getLogo'].includes(operation.id)) return call(operation, records, records.token);
  if (operation.id === 'changeOwnPassword') return changePassword(operation);
  if (operation.id !== 'confirmSecondFactor') return call(operation, records);
  const caller = await service.signIn(await newOperator(service));
  const { body } = await begunFactor(caller);
  return ask(service.url, operation.method, operation.path, { token: caller.token, body });
}

/** Changes a password as a person whose tokens may end. */
async function changePassword({ method, path }: Described): Promise<Answer> {
  const { token } = await service.customer();
  return ask(service.url, method, path, { token, body: { current_password: PASSWORD, password: PASSWORD } });
}

const complaints = (operation: Described, answer: Answer): string[] =>
  complaintsAbout(operation, answer, checks[operation.contract]);

describe.each(operations.map((operation) => [operation.id, operation] as const))(
  '%s of the last release',
  (_, operation) => {
    test('is served, and a client of the last release can read the answer', async () => {
      const answer = await succeeding(operation);
      expect(complaints(operation, answer)).toEqual([]);
      expect(answer.status).toBeLessThan(300);
    });

    test('is refused as a client of the last release expects', async () => {
      const refused = [await call(operation, absentRecords(records.token), 'none')];
      if (operation.statuses.includes('404')) refused.push(await call(operation, absentRecords(records.token)));
      expect(refused.flatMap((answer) => complaints(operation, answer))).toEqual([]);
    });
  },
);

test('a receiver of the last release can read a body of the webhook', () => {
  const check = schemaCheck(JSON.parse(fileText('contracts/released/tracking-webhook.schema.json')), { open: true });
  const body = JSON.parse(sampleBody(new Date()).toString());
  expect(check('', body)).toEqual([]);
  expect(check('', { packages: [{ ...body.packages[0], loggiKey: 7, weather: 0 }] })).toHaveLength(1);
});

test('this test finds a change that breaks a client of the last release, and allows an addition', async () => {
  const getOrder = operations.find(({ id }) => id === 'getOrder');
  if (!getOrder) throw new Error('there is no getOrder');
  const answer = await call(getOrder, records);
  const altered = (fieldsOf: object): Answer => ({
    ...answer,
    text: JSON.stringify({ ...JSON.parse(answer.text), ...fieldsOf }),
  });
  expect(complaints(getOrder, altered({ colour: 'red', status: 'teleported' }))).toEqual([]);
  for (const broken of [{ status: undefined }, { id: 'x' }, { payment_method_id: '1' }, { pickups: null }])
    expect(complaints(getOrder, altered(broken)).length).toBeGreaterThan(0);
});
