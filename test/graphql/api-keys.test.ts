import { describe, expect, test } from '@jest/globals';
import { must } from '../support/http.js';
import { operatorLogin } from '../support/service.js';
import { type Client, sendAs, startGraphql } from './client.js';

/** Keys with a name, which REST makes, and the rotation of the one that `login` answers. */

const service = await startGraphql();

type NewKey = { scope?: 'read' | 'all'; expires_at?: string };

async function namedKey({ caller }: Client, { scope = 'all', ...other }: NewKey = {}) {
  const body = { name: 'Shop', scope, ...other };
  const { api_key, secret } = must(await caller.rest.POST('/api/v1/api-keys', { body }));
  return { id: api_key.id, secret, send: sendBy(caller.email, secret) };
}

const sendBy = (email: string, key: string) => sendAs(service.url, { Authorization: `ApiKey ${email}:${key}` });

const ME = '{ me { pk } }';
const ROTATE = 'mutation { rotateApiKey { apiKey } }';
const CANCEL = 'mutation { cancelOrder(pk: "01930f5e-7d3c-7a41-9c55-0d6f2b8e4a10") { success errors { message } } }';

describe('a named key', () => {
  test('opens its account, in place of the key that login answers', async () => {
    const client = await service.client();
    const { send } = await namedKey(client);
    expect((await send(ME)).data).toEqual({ me: { pk: client.caller.id } });
    expect((await send(CANCEL)).data?.cancelOrder).toEqual({ success: false, errors: [{ message: 'No such order.' }] });
    expect((await client.send(ME)).status).toBe(200);
  });

  test('of scope read can read, but a mutation needs scope all', async () => {
    const { send } = await namedKey(await service.client(), { scope: 'read' });
    expect((await send(ME)).errors).toBeUndefined();
    for (const mutation of [
      CANCEL,
      `mutation { a: __typename ...b } fragment b on Mutation { ${CANCEL.slice(10, -1)} }`,
    ]) {
      const { data, errors } = await send(mutation);
      expect([data, errors?.map(({ extensions }) => extensions.code)]).toEqual([undefined, ['FORBIDDEN']]);
    }
    const modern = await send(CANCEL, { headers: { Accept: 'application/graphql-response+json' } });
    expect(modern.status).toBe(403);
  });

  test.each(['read', 'all'] as const)('of scope %s cannot make another key', async (scope) => {
    const client = await service.client();
    const { send } = await namedKey(client, { scope });
    expect((await send(ROTATE)).errors?.[0]?.extensions.code).toBe('FORBIDDEN');
    expect((await client.send(ME)).status).toBe(200);
  });

  test('ends at once when it is revoked or expires, and works only with the e-mail address of its account', async () => {
    const [client, other] = [await service.client(), await service.client()];
    const [revoked, expired] = [await namedKey(client), await namedKey(client)];
    expect((await sendBy(other.caller.email, revoked.secret)(ME)).status).toBe(401);
    expect((await sendBy(client.caller.email, `${revoked.secret}a`)(ME)).status).toBe(401);
    await client.caller.rest.DELETE('/api/v1/api-keys/{id}', { params: { path: { id: revoked.id } } });
    const past = { expires_at: new Date(0) };
    await service.db.updateTable('api_keys').set(Object(past)).where('id', '=', expired.id).execute();
    expect([(await revoked.send(ME)).status, (await expired.send(ME)).status]).toEqual([401, 401]);
  });

  test('outlives a rotation of the key that login answers, but is refused while the phone is not confirmed', async () => {
    const client = await service.client();
    const { send } = await namedKey(client);
    await client.send(ROTATE);
    expect((await send(ME)).status).toBe(200);
    await service.db
      .updateTable('accounts')
      .set({ phone_confirmed: false })
      .where('id', '=', client.caller.id)
      .execute();
    expect((await send(ME)).status).toBe(401);
  });
});

describe('rotateApiKey', () => {
  const rotate = (client: Client, seconds: number) =>
    client.send(`mutation { rotateApiKey(overlapSeconds: ${seconds}) { apiKey } }`);

  test('lets only the last key before the new one work for a while', async () => {
    const first = await service.client();
    await rotate(first, 3_600);
    const second = await service.client(first.caller);
    const statuses = async (...clients: Client[]) =>
      Promise.all(clients.map(async ({ send }) => (await send(ME)).status));
    expect(second.apiKey).not.toBe(first.apiKey);
    expect(await statuses(first, second)).toEqual([200, 200]);
    await rotate(second, 3_600);
    const third = await service.client(first.caller);
    expect(await statuses(first, second, third)).toEqual([401, 200, 200]);
    const past = { previous_key_until: new Date(0) };
    await service.db.updateTable('accounts').set(past).where('id', '=', first.caller.id).execute();
    expect(await statuses(second, third)).toEqual([401, 200]);
  });

  test('ends every overlap when it is called again without one, or when the password changes', async () => {
    const [rotated, changed] = [await service.client(), await service.client()];
    for (const client of [rotated, changed]) await rotate(client, 604_800);
    const now = await service.client(rotated.caller);
    expect((await now.send(ROTATE)).errors).toBeUndefined();
    const { id, email } = changed.caller;
    const body = { email, name: 'Ana', phone: '+55 11 91234-5678', password: 'another long password' };
    const proof = { current_password: operatorLogin.password };
    await service.operator.rest.PUT('/api/v1/users/{id}', { params: { path: { id } }, body: { ...body, ...proof } });
    for (const { send } of [rotated, now, changed]) expect((await send(ME)).status).toBe(401);
  });

  test.each([-1, 604_801])('refuses to overlap for %d seconds', async (seconds) => {
    const client = await service.client();
    expect((await rotate(client, seconds)).errors?.[0]?.extensions.code).toBe('VALIDATION_ERROR');
    expect((await client.send(ME)).status).toBe(200);
  });
});
