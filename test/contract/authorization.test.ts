import { describe, expect, test } from '@jest/globals';
import { absentRecords, bodyFor, orderBody, type Records, tokenForm } from '../support/bodies.js';
import { closedMonth } from '../support/closed-month.js';
import { type Answer, accessToken, ask, must } from '../support/http.js';
import { newRecords, pathFor, storeLogo } from '../support/records.js';
import { ownService } from '../support/services.js';
import { complaintsAbout, type Described, operations } from './oracle.js';

const service = await ownService();
const [own, foreign] = [await newRecords(service), await newRecords(service)];
const absent = absentRecords(own.token);
// For tokens of the operator's own keys, which read a statement.
await closedMonth(service.db, service.operator.id);

/** Calls the operation for `records` with the body that their owner would send. Checks the answer by the contract. */
async function call(
  operation: Described,
  records: Records,
  token?: string,
  body = bodyFor(operation, records),
  headers = {},
) {
  const answer = await ask(service.url, operation.method, pathFor(operation, records), { token, body, headers });
  expect(complaintsAbout(operation, answer)).toEqual([]);
  return answer;
}

// Headers that differ for each request: its id, the time and the remaining budget.
const passing = ['x-request-id', 'date', 'x-ratelimit-remaining', 'x-ratelimit-reset'];

/** The parts of an answer that two requests may share, without the requested ids. */
function essence({ status, headers, text }: Answer, records: Records): unknown {
  const ids = Object.values(records).filter((each) => typeof each === 'string');
  const blank = (value: string): string => ids.reduce((rest, id) => rest.replaceAll(id, '…'), value);
  const kept = [...headers]
    .filter(([name]) => !passing.includes(name))
    .map(([name, value]) => `${name}: ${blank(value)}`);
  return { status, headers: kept.sort(), body: blank(text) };
}

const guarded = operations.filter(({ isPublic }) => !isPublic);
const named = (all: readonly Described[]): [string, Described][] => all.map((each) => [each.id, each]);
/** True if the path names a record. A month is not a record, because every account has it. */
const takesRecord = ({ path }: Described): boolean => path.replace('{month}', '').includes('{');
const forAll = guarded.filter(({ roles }) => roles.includes('customer'));
const forOperators = guarded.filter(({ roles }) => !roles.includes('customer'));

test('the contracts have operations of each kind', () => {
  expect([forAll, forOperators].map(({ length }) => length > 10)).toEqual([true, true]);
});

describe.each(named(guarded))('%s', (_id, operation) => {
  test('is refused without a token, and tells nothing else', async () => {
    for (const token of [undefined, 'forged']) {
      const [ofOwn, ofAbsent] = [await call(operation, own, token), await call(operation, absent, token)];
      expect(ofOwn.status).toBe(401);
      expect(essence(ofOwn, own)).toEqual(essence(ofAbsent, absent));
    }
  });
});

describe.each(named(forOperators))('%s', (_id, operation) => {
  test('is forbidden to a customer for an own, a foreign and an unknown record', async () => {
    const answers = [own, foreign, absent].map(async (records) =>
      essence(await call(operation, records, own.token), records),
    );
    const [first, ...rest] = await Promise.all(answers);
    expect(first).toMatchObject({ status: 403 });
    for (const each of rest) expect(each).toEqual(first);
  });
});

describe.each(named(forAll.filter(takesRecord)))('%s', (id, operation) => {
  // Customers may not do these to their own records (contracts/openapi.yaml).
  const whenOwn = id === 'deleteUser' ? [403] : id === 'updateOrderStatus' ? [403] : [200, 201, 202, 204];

  test.each([
    ['to the byte', {}],
    ['of whatever version', { 'If-Match': '"999"', 'If-None-Match': '"1"' }],
  ])('answers the same for a foreign record and an unknown one, %s', async (_what, headers) => {
    const body = bodyFor(operation, own);
    const answers = [foreign, absent].map(async (records) =>
      essence(await call(operation, records, own.token, body, headers), records),
    );
    const [ofForeign, ofAbsent] = await Promise.all(answers);
    expect(ofForeign).toMatchObject({ status: 404 });
    expect(ofForeign).toEqual(ofAbsent);
  });

  test('is allowed for an own record, and for an operator with every record', async () => {
    const [mine, other] = [await newRecords(service, operation), await newRecords(service, operation)];
    expect(whenOwn).toContain((await call(operation, mine, mine.token)).status);
    expect([200, 201, 202, 204]).toContain((await call(operation, other, service.proven.token)).status);
    expect((await call(operation, absent, service.proven.token)).status).toBe(404);
  });
});

describe.each(named(forAll.filter((each) => each.method === 'GET' && !takesRecord(each))))('%s', (_id, operation) => {
  test('shows a customer nothing of another account', async () => {
    const { text } = await call(operation, own, own.token);
    const { token: _, code: __, version: ___, month: ____, ...ids } = foreign;
    for (const id of Object.values(ids).filter((each) => typeof each === 'string')) expect(text).not.toContain(id);
  });
});

// The keys are the operator's.
await storeLogo(service.operator);

async function keyToken(scope: 'read' | 'all'): Promise<string> {
  const body = { name: 'Shop', scope };
  const { api_key, secret } = must(await service.operator.rest.POST('/api/v1/api-keys', { body }));
  const { text } = await ask(service.url, 'POST', '/auth/token', { body: tokenForm(api_key.id, secret) });
  return JSON.parse(text).access_token;
}

const keyTokens = { read: await keyToken('read'), all: await keyToken('all') };

const ofCourier = { name: 'Courier', scope: 'courier' } as const;
const courier = must(await service.operator.operator.POST('/operator/v1/operator-keys', { body: ofCourier }));

describe.each(named(guarded.filter(({ contract }) => contract === 'rest')))('%s', (_id, operation) => {
  test('refuses operator keys, which are for the other interface', async () => {
    expect((await call(operation, own, courier.secret)).status).toBe(401);
  });
});

const changesCredentials = [
  ...['createUser', 'updateUser', 'deleteUser', 'createApiKey', 'revokeApiKey'],
  ...['inviteMember', 'updateMember', 'removeMember', 'makePasswordLink', 'changeOwnPassword', 'changeOwnName'],
  ...['setBrandColor', 'putLogo', 'deleteLogo', 'removeMemberSecondFactor', 'setSecondFactorRule'],
  ...['beginOwnSecondFactor', 'confirmOwnSecondFactor', 'removeOwnSecondFactor'],
];
/** Operations that tokens of API keys may call. This rule is independent of the lists in the contract. */
const mayCall = (scope: 'read' | 'all', { id, method }: Described): boolean =>
  !changesCredentials.includes(id) && (scope === 'all' || method === 'GET' || id === 'estimateOrder' || id === 'quote');

describe.each(named(guarded))('%s', (_id, operation) => {
  test.each(['read', 'all'] as const)('follows its x-scopes for a token of an API key of scope %s', async (scope) => {
    const isAllowed = operation.contract === 'rest' && mayCall(scope, operation);
    const records = isAllowed && operation.method !== 'GET' ? await newRecords(service, operation) : own;
    const { status } = await call(operation, records, keyTokens[scope]);
    if (isAllowed) expect([200, 201, 202, 204]).toContain(status);
    else expect(status).toBe(operation.contract === 'rest' ? 403 : 401);
  });
});

const colleague = await newRecords(service);
const members = await Promise.all(
  (['owner', 'shipper', 'viewer'] as const).map(async (role) => {
    const body = { name: role, email: `${role}@colleagues.test`, role };
    const inviting = { token: colleague.token, body };
    const { text } = await ask(service.url, 'POST', '/api/v1/members', inviting);
    const setting = { body: { token: JSON.parse(text).link.token, password: 'staple battery horse' } };
    expect((await ask(service.url, 'POST', '/auth/password-change', setting)).status).toBe(204);
    return { role, token: await accessToken(service.url, { email: body.email, password: 'staple battery horse' }) };
  }),
);

/** Operations that members may call. This rule is independent of the lists in the contract. */
const isOpenTo = (role: 'owner' | 'shipper' | 'viewer', { id, method, contract }: Described): boolean => {
  if (contract !== 'rest') return false;
  if (/Own(Password|Name|SecondFactor)$/.test(id)) return true;
  const isOwners = changesCredentials.includes(id) || ['listAccountLog', 'getAccountLogFile'].includes(id);
  if (isOwners) return role === 'owner' && id !== 'createUser';
  return role !== 'viewer' || method === 'GET' || id === 'estimateOrder' || id === 'quote';
};

describe.each(named(forAll))('%s', (_id, operation) => {
  test.each(members)('follows its x-member-roles for a member who is $role', async ({ role, token }) => {
    const { status, text } = await call(operation, absent, token);
    const isRefused = status === 403 && text.includes('member_role_not_allowed');
    expect(isRefused).toBe(!isOpenTo(role, operation));
  });
});

describe.each(named(forOperators))('%s', (_id, operation) => {
  test.each(members)('refuses a member who is $role', async ({ token }) => {
    expect((await call(operation, absent, token)).status).toBe(403);
  });
});

test('a foreign record in the body of an order is refused like an unknown one', async () => {
  const { dimensions: _, ...parcel } = { ...orderBody().packages[0] };
  const withProduct = ({ productId: product_id }: Records) => ({
    ...orderBody(),
    packages: [{ ...parcel, items: [{ product_id, quantity: 1 }] }],
  });
  const withMethod = ({ paymentMethodId }: Records) => ({ ...orderBody(), payment_method_id: paymentMethodId });
  const place = async (bodyOf: (records: Records) => object, records: Records) =>
    essence(await ask(service.url, 'POST', '/api/v1/orders', { token: own.token, body: bodyOf(records) }), records);
  for (const bodyOf of [withProduct, withMethod]) {
    const ofForeign = await place(bodyOf, foreign);
    expect(ofForeign).toMatchObject({ status: 400 });
    expect(ofForeign).toEqual(await place(bodyOf, absent));
  }
  expect(await place(withProduct, own)).toMatchObject({ status: 201 });
});
