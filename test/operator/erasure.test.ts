import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { haystack } from '../support/needles.js';
import { waitFor } from '../support/receiver.js';
import type { Service } from '../support/service.js';
import { ownService } from '../support/services.js';
import { eraseUser, newUser, placesOf, remove, ring, settings, type User } from './erasure-fixtures.js';
import { at, bodyOf, refusalOf } from './fixtures.js';

const service = await ownService(settings);
const atOnce = await ownService({ ...settings, ERASE_AFTER_DAYS: '0' });

/** Values of a user that stay for a while after its deletion. */
const staying = ['email', 'failures', 'label', 'name', 'phone'];

/** Waits until a user is erased, and checks that no place names the user. */
async function erased(service: Service, user: User): Promise<void> {
  const finished = service.db.selectFrom('erasures').select('id').where('finished_at', 'is not', null);
  const own = finished.where('account_id', '=', user.id);
  await waitFor(async () => (await own.execute()).length > 0, 'the erasure');
  expect(await placesOf(service, user)).toEqual({});
}

describe('a deleted user', () => {
  test('loses its hash and its credentials at once; name, e-mail address and phone stay for a while', async () => {
    const user = await newUser(service);
    expect(await placesOf(service, user)).toMatchObject({
      hash: ['public.accounts.password_hash'],
      password: ['public.webhook_endpoints.password_sealed'],
      next: ['public.webhook_endpoints.secret_sealed'],
      privateKey: ['public.webhook_endpoints.private_key_sealed'],
      signing: ['public.idempotency_keys.answer', 'public.webhook_endpoints.previous_secret_sealed'],
      username: ['public.idempotency_keys.answer', 'public.webhook_endpoints.username'],
      email: ['public.accounts.email', 'public.idempotency_keys.answer', 'public.sign_in_emails.email'],
      label: ['public.idempotency_keys.answer', 'public.payment_methods.label'],
      failures: ['public.login_failures.subject'],
    });
    expect((await remove(service, user)).response.status).toBe(204);
    const places = await placesOf(service, user);
    expect(places).toMatchObject({ name: ['public.accounts.name'], email: ['public.accounts.email'] });
    expect(Object.keys(places).sort()).toEqual(staying);
  });

  test('is erased on request: no column of any table names it, and its orders stay', async () => {
    const user = await newUser(service);
    expect(await refusalOf(eraseUser(service, user.id))).toEqual([409, 'CONFLICT']);
    await remove(service, user);
    const { data, response } = await eraseUser(service, user.id);
    expect(response.status).toBe(202);
    expect(data).toEqual({ user_id: user.id, deleted_at: expect.any(String), erased_at: expect.any(String) });
    expect(await placesOf(service, user)).toEqual({});
    expect(await bodyOf(eraseUser(service, user.id))).toEqual(data);
    expect((await bodyOf(service.operator.rest.GET('/api/v1/orders/{id}', at(user.order.id)))).user_id).toBe(user.id);
    expect(await refusalOf(eraseUser(service, randomUUID()))).toEqual([404, 'NOT_FOUND']);
  });

  test('is erased at once when ERASE_AFTER_DAYS is 0, unless it is held', async () => {
    const [user, heldUser] = [await newUser(atOnce), await newUser(atOnce)];
    await atOnce.operator.operator.POST('/operator/v1/users/{id}/hold', at(heldUser.id));
    await remove(atOnce, user);
    expect(await placesOf(atOnce, user)).toEqual({});
    await remove(atOnce, heldUser);
    expect(Object.keys(await placesOf(atOnce, heldUser)).sort()).toEqual(staying);
    const params = { query: { email: heldUser.names.email } };
    const deleted = await bodyOf(atOnce.operator.operator.GET('/operator/v1/deleted-users', { params }));
    expect(deleted.data).toEqual([expect.objectContaining({ id: heldUser.id, held_at: expect.any(String) })]);
    await atOnce.operator.operator.POST('/operator/v1/users/{id}/release', at(heldUser.id));
    await erased(atOnce, heldUser);
  });

  test('is erased by the sweep when its time has come', async () => {
    const [user, early] = [await newUser(service), await newUser(service)];
    for (const each of [user, early]) await remove(service, each);
    await age(early.id, 29);
    await age(user.id, 31);
    await erased(service, user);
    expect(await placesOf(service, early)).toMatchObject({ name: ['public.accounts.name'] });
  });

  test('that an older release deleted loses its endpoints and its hash, and later its name', async () => {
    const user = await newUser(service);
    await sql`update accounts set deleted_at = now() - interval '1 day' where id = ${user.id}`.execute(service.db);
    // Stored answers of the user end after a day in any release.
    await sql`delete from idempotency_keys`.execute(service.db);
    const withHash = service.db.selectFrom('accounts').select('id').where('password_hash', '=', user.secrets.hash);
    await waitFor(async () => (await withHash.execute()).length === 0, 'the end of its credentials');
    expect(await haystack(service.db, ring, { ...user.secrets, url: user.addresses.url })).toEqual({});
    expect(await placesOf(service, user)).toMatchObject({ name: ['public.accounts.name'] });
    await age(user.id, 31);
    await erased(service, user);
  });

  const age = (id: string, days: number) =>
    sql`update accounts set deleted_at = now() - make_interval(days => ${days}::integer) where id = ${id}`.execute(
      service.db,
    );
});
