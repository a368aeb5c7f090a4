import { describe, expect, test } from '@jest/globals';
import { buildSchema } from 'graphql';
import type { components } from '../../generated/rest.js';
import { loginCall, sendAs } from '../graphql/client.js';
import { movement, newPackages, placeOrder, reason, resultsOf } from '../operator/fixtures.js';
import { bodyFor, graphqlOrder, orderBody, type Records, tokenForm } from '../support/bodies.js';
import { type Answer, accessToken, ask, clientsFor, must } from '../support/http.js';
import { PASSWORD } from '../support/password.js';
import { newRecords, pathFor, recordSettings } from '../support/records.js';
import { begunByPerson, giveFactor } from '../support/second-factor.js';
import type { Caller } from '../support/service.js';
import { ownService } from '../support/services.js';
import { sdl } from './contract-files.js';
import { type Described, operations } from './oracle.js';

/** Each change in an account is in its audit log: for each operation and each kind of actor. */

const service = await ownService({ ...recordSettings });

type Entry = components['schemas']['AccountLogEntry'];

async function logOf(token: string): Promise<Entry[]> {
  const { rest } = clientsFor(service.url, token);
  return must(await rest.GET('/api/v1/audit-log', { params: { query: { page_size: 100 } } })).data;
}

const entriesOf = async ({ headers }: Pick<Answer, 'headers'>, token: string) =>
  (await logOf(token)).filter(({ request_id: id }) => id === headers.get('x-request-id'));

/** Operations that change nothing. This list is independent of the lists in the contract. */
const changesNothing = ['estimateOrder', 'quote', 'beginOwnSecondFactor'];
const ofOperators = ['createUser', 'deleteUser'];
const isChange = ({ id, method, isPublic }: Described): boolean =>
  method !== 'GET' && !isPublic && !changesNothing.includes(id);
const ofRest = operations.filter(({ contract }) => contract === 'rest');
const changes = ofRest.filter((each) => isChange(each) && !ofOperators.includes(each.id));
/** Only owners may call these, and no API key may. */
const OF_OWNERS = /User$|BrandColor$|Logo$|ApiKey$|Member$|PasswordLink$|Own(Password|Name)$|SecondFactor/;

const bodies: Readonly<Record<string, object>> = {
  updateOrderStatus: { status: 'cancelled' },
  cancelPackage: { preview: false },
  changeOwnPassword: { current_password: PASSWORD, password: PASSWORD },
};

/** The total that a change of the address would have. */
async function newTotal(loggi_key: string, token: string): Promise<string> {
  const { rest } = clientsFor(service.url, token);
  const asking = { params: { path: { loggi_key } }, body: { address: newAddress } };
  return must(await rest.POST('/api/v1/packages/{loggi_key}/address-change', asking)).order.pricing.total;
}

async function loginKey({ email }: Caller): Promise<string> {
  const { data } = await sendAs(service.url, {})(loginCall(email, PASSWORD));
  return data?.login?.user?.apiKey ?? '';
}

async function bodyOf(operation: Described, own: Records, token: string): Promise<object | undefined> {
  if (operation.id === 'confirmOwnSecondFactor') return (await begunByPerson(service.url, token, PASSWORD)).body;
  if (operation.id !== 'changeAddress') return bodies[operation.id] ?? bodyFor(operation, own);
  return { address: newAddress, total: await newTotal(own.loggiKey, own.token) };
}

const send = async (operation: Described, own: Records, token: string) => {
  const body = await bodyOf(operation, own, token);
  const answer = await ask(service.url, operation.method, pathFor(operation, own), { token, body });
  return { ...answer, sent: body instanceof Blob ? [] : Object.keys(body ?? {}) };
};

const called = (id: string): Described => {
  const operation = ofRest.find((each) => each.id === id);
  if (!operation) throw new Error(`there is no ${id}`);
  return operation;
};

const newAddress = { address: 'Rua XV de Novembro, 100 - Centro, Santos - SP' };

let people = 0;

/** Another owner of the account, with a password and a token of their own. */
async function ownerOf(token: string) {
  const { rest } = clientsFor(service.url, token);
  const email = `owner-${++people}@log.test`;
  const { member, link } = must(
    await rest.POST('/api/v1/members', { body: { name: 'Rui Reis', email, role: 'owner' } }),
  );
  await ask(service.url, 'POST', '/auth/password-change', { body: { token: link.token, password: PASSWORD } });
  const memberToken = await accessToken(service.url, { email, password: PASSWORD });
  return { actor: { kind: 'member', id: member.id, name: 'Rui Reis' }, token: memberToken };
}

async function keyOf(token: string) {
  const { rest } = clientsFor(service.url, token);
  const { api_key, secret } = must(await rest.POST('/api/v1/api-keys', { body: { name: 'Loja', scope: 'all' } }));
  const { text } = await ask(service.url, 'POST', '/auth/token', { body: tokenForm(api_key.id, secret) });
  const keyToken: string = JSON.parse(text).access_token;
  return { actor: { kind: 'key', id: api_key.id, name: 'Loja' }, token: keyToken, secret };
}

describe.each(changes.map((each) => [each.id, each] as const))('%s', (id, operation) => {
  const makers = { member: ownerOf, ...(!OF_OWNERS.test(id) && { key: keyOf }) };

  test.each(Object.keys(makers) as (keyof typeof makers)[])('is in the log when it is done by a %s', async (kind) => {
    const own = await newRecords(service, operation);
    const { actor, token } = (await makers[kind]?.(own.token)) ?? (await ownerOf(own.token));
    if (id === 'removeOwnSecondFactor') await giveFactor(service, actor.id);
    const answer = await send(operation, own, token);
    expect([200, 201, 202, 204]).toContain(answer.status);
    // The change may end the member's token, so the token of the account's own sign-in reads the log.
    const [entry, ...more] = await entriesOf(answer, own.token);
    const location = answer.headers.get('location');
    expect(entry).toEqual({
      id: expect.any(String),
      created_at: expect.any(String),
      operation: id,
      // The change may have given the actor another name.
      actor: { ...actor, name: expect.any(String) },
      targets: expect.any(Object),
      ...(location !== null && { location }),
      fields: answer.sent,
      status: answer.status,
      request_id: answer.headers.get('x-request-id'),
    });
    const path = Object.entries(entry?.targets ?? {}).reduce(
      (rest, [name, value]) => rest.replace(`{${name}}`, value),
      operation.path,
    );
    expect([path, more]).toEqual([pathFor(operation, own), []]);
  });
});

test('a change by the account’s own sign-in names the account', async () => {
  const ana = await service.customer();
  await placeOrder(ana);
  expect((await logOf(ana.token)).map(({ operation, actor }) => [operation, actor])).toEqual([
    ['createOrder', { kind: 'account', id: ana.id }],
  ]);
});

test('useMemberLink is in the log of the account, by the member', async () => {
  const own = await newRecords(service);
  const body = { token: own.memberLink, password: PASSWORD };
  const answer = await ask(service.url, 'POST', '/auth/password-change', { body });
  expect(await entriesOf(answer, own.token)).toMatchObject([
    { operation: 'useMemberLink', actor: { kind: 'member', id: own.memberId }, fields: ['token', 'password'] },
  ]);
});

const byOperators = operations.filter(
  ({ id, contract, path }) =>
    contract === 'operator' && /\/(users|packages|webhook-endpoints|tasks|deliveries)\b/.test(path) && id !== 'signIn',
);
/** Reports of couriers, and a change that is made after a preview (test/operator/packages.test.ts). */
const elsewhere = ['putProofPhoto', 'putProofSignature', 'changeAddressForShipper'];

describe.each(
  byOperators.filter((each) => isChange(each) && !elsewhere.includes(each.id)).map((each) => [each.id, each] as const),
)('%s', (id, operation) => {
  test('is in the log of the account without the operator’s name when an operator does it', async () => {
    const own = await newRecords(service, operation);
    const answer = await send(operation, own, service.proven.token);
    expect([200, 201, 202, 204]).toContain(answer.status);
    const userId = /eraseUser|reactivateUser/.test(id) ? own.deletedUserId : own.userId;
    const query = { user_id: userId, operation: id };
    const { data } = must(await service.operator.operator.GET('/operator/v1/audit-log', { params: { query } }));
    const [entry] = data.filter(({ request_id: request }) => request === answer.headers.get('x-request-id'));
    expect(entry).toMatchObject({ user_id: userId, by_operator: true, actor_id: service.operator.id });
    // This operation ends the account's tokens.
    if (userId === own.userId && id !== 'removeSecondFactor')
      expect(await entriesOf(answer, own.token)).toMatchObject([{ operation: id, actor: { kind: 'operator' } }]);
  });
});

test('the log of a user shows that an operator made, changed and deleted the user', async () => {
  const { rest, operator } = service.operator;
  const body = { email: 'new@log.test', name: 'Nova', phone: '+55 11 91234-5678', password: PASSWORD };
  const { id } = must(await rest.POST('/api/v1/users', { body }));
  await rest.DELETE('/api/v1/users/{id}', { params: { path: { id } } });
  const { data } = must(await operator.GET('/operator/v1/audit-log', { params: { query: { user_id: id } } }));
  expect(data.map(({ operation }) => operation)).toEqual(['deleteUser', 'createUser']);
});

describe.each(changesNothing)('%s', (id) => {
  test('is not in the log', async () => {
    const operation = called(id);
    const own = await newRecords(service, operation);
    const answer = await send(operation, own, own.token);
    expect([answer.status, await entriesOf(answer, own.token)]).toEqual([200, []]);
  });
});

test('refusals and previews are not in the log', async () => {
  const ana = await service.customer();
  const [loggi_key = ''] = await newPackages(ana, 2);
  const params = { path: { loggi_key } };
  await ana.rest.POST('/api/v1/packages/{loggi_key}/cancellation', { params, body: { preview: true } });
  await ana.rest.POST('/api/v1/packages/{loggi_key}/return', { params, body: {} });
  expect((await logOf(ana.token)).map(({ operation }) => operation)).toEqual(['createOrder']);
});

test('an order that is sent twice under one Idempotency-Key is in the log once', async () => {
  const { token } = await service.customer();
  const headers = { 'Idempotency-Key': 'twice' };
  const body = orderBody();
  for (const _ of [1, 2])
    expect((await ask(service.url, 'POST', '/api/v1/orders', { token, body, headers })).status).toBe(201);
  expect((await logOf(token)).map(({ operation }) => operation)).toEqual(['createOrder']);
});

test('orders that are placed together have an entry each, and a refused order has no entry', async () => {
  const ana = await service.customer();
  const sent = await Promise.all(
    ['a', 'b', 'c', 'c'].map((external_id) =>
      ask(service.url, 'POST', '/api/v1/orders', { token: ana.token, body: { ...orderBody(), external_id } }),
    ),
  );
  const made = sent.flatMap(({ status, headers }) => (status === 201 ? String(headers.get('location')) : []));
  expect(made).toHaveLength(3);
  expect((await logOf(ana.token)).map(({ location }) => location).sort()).toEqual(made.sort());
});

/** Each mutation with its variables, and the names of the fields that it sends. */
type Mutation = (ana: Caller) => Promise<[text: string, variables: object, targets: object, fields: string[]]>;

const mutations: Readonly<Record<string, Mutation>> = {
  createOrder: async (ana) => {
    const methods = must(await ana.rest.GET('/api/v1/payment-methods'));
    const input = graphqlOrder(methods.data[0]?.id ?? 0);
    const text = 'mutation ($input: CreateOrderInput!) { done: createOrder(input: $input) { success } }';
    return [text, { input }, { pk: expect.any(String) }, ['paymentMethod', 'pickups', 'packages']];
  },
  cancelOrder: async (ana) => {
    const { id: pk } = await placeOrder(ana);
    return ['mutation ($pk: ID!) { done: cancelOrder(pk: $pk) { success } }', { pk }, { pk }, ['pk']];
  },
  rotateApiKey: async () => ['mutation { done: rotateApiKey { apiKey } }', {}, {}, ['overlapSeconds']],
  answerActionRequired: async (ana) => {
    const [loggiKey = ''] = await newPackages(ana, 1);
    await resultsOf(service.operator, movement(loggiKey, { status_code: 6, action_required: reason }));
    const text = 'mutation ($input: AnswerInput!) { done: answerActionRequired(input: $input) { success } }';
    return [text, { input: { loggiKey, note: 'Ring twice.' } }, { loggiKey }, ['loggiKey', 'note']];
  },
  createPackageRequest: async (ana) => {
    const [loggiKey = ''] = await newPackages(ana, 1);
    const input = { loggiKey, kind: 'correct_recipient', recipientName: 'Bia' };
    const text = 'mutation ($input: PackageRequestInput!) { done: createPackageRequest(input: $input) { success } }';
    return [text, { input }, { loggiKey }, ['loggiKey', 'kind', 'recipientName']];
  },
  returnPackage: async (ana) => {
    const [loggiKey = ''] = await newPackages(ana, 1);
    await resultsOf(service.operator, movement(loggiKey, { status_code: 5 }));
    const text = 'mutation ($input: ReturnInput!) { done: returnPackage(input: $input) { success } }';
    return [text, { input: { loggiKey } }, { loggiKey }, ['loggiKey']];
  },
  cancelPackage: async (ana) => {
    const [loggiKey = ''] = await newPackages(ana, 2);
    const text = 'mutation ($loggiKey: String!) { done: cancelPackage(loggiKey: $loggiKey) { success } }';
    return [text, { loggiKey }, { loggiKey }, ['loggiKey', 'preview']];
  },
  changeAddress: async (ana) => {
    const [loggiKey = ''] = await newPackages(ana, 1);
    const total = await newTotal(loggiKey, ana.token);
    const text = 'mutation ($input: AddressChangeInput!) { done: changeAddress(input: $input) { success changed } }';
    return [text, { input: { loggiKey, address: newAddress, total } }, { loggiKey }, ['loggiKey', 'address', 'total']];
  },
};

test('this test calls every mutation', () => {
  const all = Object.keys(buildSchema(sdl).getMutationType()?.getFields() ?? {});
  expect(all.filter((name) => name !== 'login').sort()).toEqual(Object.keys(mutations).sort());
});

describe.each(Object.keys(mutations))('the mutation %s', (name) => {
  test.each(name === 'rotateApiKey' ? ['account'] : ['account', 'key'])(
    'is in the log when called by the %s',
    async (kind) => {
      const ana = await service.customer();
      const key = await keyOf(ana.token);
      const [text = '', variables = {}, targets, names] = (await mutations[name]?.(ana)) ?? [];
      const secret = kind === 'key' ? key.secret : await loginKey(ana);
      const answer = await sendAs(service.url, { Authorization: `ApiKey ${ana.email}:${secret}` })(text, { variables });
      expect([answer.errors, JSON.stringify(answer.data)]).toEqual([
        undefined,
        expect.not.stringMatching(/:(false|null)/),
      ]);
      expect(await entriesOf(answer, ana.token)).toEqual([
        {
          id: expect.any(String),
          created_at: expect.any(String),
          operation: name,
          actor: kind === 'key' ? key.actor : { kind, id: ana.id },
          targets,
          fields: names,
          request_id: answer.headers.get('x-request-id'),
        },
      ]);
    },
  );
});

test('a mutation that is refused or previewed is not in the log', async () => {
  const ana = await service.customer();
  const [loggiKey = ''] = await newPackages(ana, 2);
  const send = sendAs(service.url, { Authorization: `ApiKey ${ana.email}:${await loginKey(ana)}` });
  const cancel = (key: string) => `cancelPackage(loggiKey: "${key}", preview: true) { success }`;
  await send(`mutation { ${cancel(loggiKey)} }`);
  await send(`mutation { ${cancel(ana.id)} }`);
  expect((await logOf(ana.token)).map(({ operation }) => operation)).toEqual(['createOrder']);
});
