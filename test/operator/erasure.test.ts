import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { parseKeyRing } from '../../src/base/keys.js';
import { haystack } from '../support/needles.js';
import { waitFor } from '../support/receiver.js';
import { recordSettings } from '../support/records.js';
import { type Caller, operatorLogin, type Service, startService } from '../support/service.js';
import { bodyOf, movement, placeOrder, record, refusalOf } from './fixtures.js';
import { type Malote, malote } from './malote.js';

const keys = `test:${randomBytes(32).toString('base64')}`;
const ring = parseKeyRing(keys);
const settings = { ...recordSettings, ENCRYPTION_KEYS: keys };

let service: Service;
let atOnce: Service;
let operator: Caller;
let cli: Malote;

beforeAll(async () => {
  service = await startService(settings, { sender: false });
  atOnce = await startService({ ...settings, ERASE_AFTER_DAYS: '0' }, { sender: false });
  operator = service.operator;
  cli = await malote({
    MALOTE_URL: service.url,
    OPERATOR_EMAIL: operatorLogin.email,
    OPERATOR_PASSWORD: operatorLogin.password,
  });
});
afterAll(async () => {
  await cli.remove();
  await service.stop();
  await atOnce.stop();
});

const of = (id: string) => ({ params: { path: { id } } });
const keyed = () => ({ 'Idempotency-Key': randomUUID() });
const password = 'correct horse battery';

let made = 0;

/** A user made through the interfaces as an operator does, with everything that names it; `needles` are what to look for. */
async function newUser({ operator: by, signIn, anonymous, db }: Service) {
  made += 1;
  const profile = {
    email: `zenaide-${made}@exemplo.test`,
    name: `Zenaide Camargo ${made}`,
    phone: `+55 21 9876-${4000 + made}`,
  };
  const user = await bodyOf(by.rest.POST('/api/v1/users', { headers: keyed(), body: { ...profile, password } }));
  const at = of(user.id);
  await by.operator.POST('/operator/v1/users/{id}/phone-confirmation', { ...at, headers: keyed() });
  const label = `Visa of ${made}`;
  const method = { kind: 'credit_card', label } as const;
  await by.operator.POST('/operator/v1/users/{id}/payment-methods', { ...at, headers: keyed(), body: method });
  const endpoint = {
    url: `https://127.0.0.1:8443/camargo/${made}`,
    username: `camargo-${made}`,
    password: `b4sic-${made}-${randomUUID()}`,
  };
  const registered = await bodyOf(
    by.operator.POST('/operator/v1/webhook-endpoints', { headers: keyed(), body: { user_id: user.id, ...endpoint } }),
  );
  const rotated = await bodyOf(
    by.operator.POST('/operator/v1/webhook-endpoints/{id}/secret-rotation', of(registered.endpoint.id)),
  );
  const customer = await signIn({ email: profile.email, password });
  await anonymous.rest.POST('/auth/login', { body: { email: profile.email, password: 'a wrong one' } });
  const order = await placeOrder(customer);
  const { password_hash: hash } = await db
    .selectFrom('accounts')
    .select('password_hash')
    .where('id', '=', user.id)
    .executeTakeFirstOrThrow();
  const names = { ...profile, label, failures: createHash('sha256').update(profile.email).digest('hex') };
  const addresses = { url: endpoint.url, username: endpoint.username };
  const secrets = {
    password: endpoint.password,
    hash,
    signing: registered.signing_secret,
    next: rotated.signing_secret,
  };
  return {
    id: user.id,
    email: profile.email,
    customer,
    order,
    endpointId: registered.endpoint.id,
    names,
    addresses,
    secrets,
  };
}

type User = Awaited<ReturnType<typeof newUser>>;

const remove = (at: Service, { id }: { id: string }) => at.operator.rest.DELETE('/api/v1/users/{id}', of(id));
const eraseUser = (id: string) => operator.operator.POST('/operator/v1/users/{id}/erasure', of(id));
const placesOf = ({ db }: Service, user: User) =>
  haystack(db, ring, { ...user.names, ...user.addresses, ...user.secrets });

describe('a deleted user', () => {
  test('loses its hash and its credentials at once; name, e-mail address and phone stay for a while', async () => {
    const user = await newUser(service);
    expect(await placesOf(service, user)).toMatchObject({
      hash: ['public.accounts.password_hash'],
      password: ['public.webhook_endpoints.password_sealed'],
      next: ['public.webhook_endpoints.secret_sealed'],
      signing: ['public.idempotency_keys.answer', 'public.webhook_endpoints.previous_secret_sealed'],
      username: ['public.idempotency_keys.answer', 'public.webhook_endpoints.username'],
      email: ['public.accounts.email', 'public.idempotency_keys.answer'],
      label: ['public.idempotency_keys.answer', 'public.payment_methods.label'],
      failures: ['public.login_failures.subject'],
    });
    expect((await remove(service, user)).response.status).toBe(204);
    const places = await placesOf(service, user);
    expect(places).toMatchObject({ name: ['public.accounts.name'], email: ['public.accounts.email'] });
    expect(Object.keys(places).sort()).toEqual(['email', 'failures', 'label', 'name', 'phone']);
  });

  test('is erased by command: nothing names it in any column of any table, and its orders stay', async () => {
    const user = await newUser(service);
    expect(await refusalOf(eraseUser(user.id))).toEqual([409, 'CONFLICT']);
    await remove(service, user);
    const { data, response } = await eraseUser(user.id);
    expect(response.status).toBe(202);
    expect(data).toEqual({ user_id: user.id, deleted_at: expect.any(String), erased_at: expect.any(String) });
    expect(await placesOf(service, user)).toEqual({});
    expect(await bodyOf(eraseUser(user.id))).toEqual(data);
    const order = await bodyOf(operator.rest.GET('/api/v1/orders/{id}', of(user.order.id)));
    expect(order.user_id).toBe(user.id);
    expect(await refusalOf(eraseUser(randomUUID()))).toEqual([404, 'NOT_FOUND']);
  });

  test('is erased at once when ERASE_AFTER_DAYS is 0, unless it is held', async () => {
    const [user, held] = [await newUser(atOnce), await newUser(atOnce)];
    await atOnce.operator.operator.POST('/operator/v1/users/{id}/hold', of(held.id));
    await remove(atOnce, user);
    expect(await placesOf(atOnce, user)).toEqual({});
    await remove(atOnce, held);
    expect(Object.keys(await placesOf(atOnce, held)).sort()).toEqual(['email', 'failures', 'label', 'name', 'phone']);
    await atOnce.operator.operator.POST('/operator/v1/users/{id}/release', of(held.id));
    await waitFor(async () => Object.keys(await placesOf(atOnce, held)).length === 0, 'the erasure after the hold');
  });

  test('is erased by the sweep when its time has come', async () => {
    const user = await newUser(service);
    await remove(service, user);
    await age(user.id, 29);
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    expect(await placesOf(service, user)).toMatchObject({ name: ['public.accounts.name'] });
    await age(user.id, 31);
    await waitFor(async () => Object.keys(await placesOf(service, user)).length === 0, 'the erasure');
  });

  test('that an older version deleted loses its endpoints, its hash and, in time, its name too', async () => {
    const user = await newUser(service);
    await sql`update accounts set deleted_at = now() - interval '1 day' where id = ${user.id}`.execute(service.db);
    const secretsLeft = async () =>
      Object.keys(await haystack(service.db, ring, { ...user.secrets, url: user.addresses.url }));
    // Its kept answers end after a day, as they always did.
    await sql`delete from idempotency_keys`.execute(service.db);
    await waitFor(async () => (await secretsLeft()).length === 0, 'the end of its credentials');
    expect(await placesOf(service, user)).toMatchObject({ name: ['public.accounts.name'] });
    await age(user.id, 31);
    await waitFor(async () => Object.keys(await placesOf(service, user)).length === 0, 'the erasure');
  });

  const age = (id: string, days: number) =>
    sql`update accounts set deleted_at = now() - make_interval(days => ${days}::integer) where id = ${id}`.execute(
      service.db,
    );
});

describe('a hold', () => {
  test('keeps a user from being erased, found by its e-mail address, until it is released', async () => {
    const user = await newUser(service);
    await remove(service, user);
    expect(await cli.json(['users', 'deleted', '--email', user.email.toUpperCase()])).toMatchObject({
      data: [{ id: user.id, email: user.email }],
    });
    expect(await cli.json(['users', 'hold', user.email])).toMatchObject({
      user_id: user.id,
      held_at: expect.any(String),
    });
    const refused = await cli.run(['users', 'erase', user.id]);
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('CONFLICT')]);
    expect(await cli.json(['users', 'release', user.id])).not.toHaveProperty('held_at');
    expect(await cli.json(['users', 'erase', user.id])).toMatchObject({ erased_at: expect.any(String) });
    const late = await cli.run(['users', 'hold', user.id]);
    expect([late.code, late.err]).toEqual([1, expect.stringContaining('erased already')]);
  });

  test('asks which of several users of one e-mail address is meant', async () => {
    const first = await newUser(service);
    await remove(service, first);
    const second = await service.customer({ email: first.email });
    const { code, err } = await cli.run(['users', 'hold', first.email]);
    expect([code, err.includes(first.id), err.includes(second.id)]).toEqual([2, true, true]);
    expect((await cli.run(['users', 'hold', 'nobody@exemplo.test'])).code).toBe(1);
  });
});

describe('recipients', () => {
  test('are counted first, and erased with --yes', async () => {
    const customer = await service.customer();
    const { id, packages } = await placeOrder(customer, 2);
    const moved = packages.map(({ loggi_key }) => movement(loggi_key, { status_code: 5 }));
    await bodyOf(record(operator, ...moved));
    const erase = ['recipients', 'erase', '--before', new Date().toISOString()];
    const dry = await cli.json(erase);
    expect(dry).toMatchObject({ dry_run: true, orders: 1, pickups: 1, packages: 2, more: false });
    expect((await bodyOf(customer.rest.GET('/api/v1/orders/{id}', of(id)))).packages[0]?.recipient.name).toBe(
      'Bruno Lima',
    );
    const done = await cli.json([...erase, '--yes']);
    expect(done).toMatchObject({ kind: 'recipients', orders: 1, finished_at: expect.any(String) });
    const order = await bodyOf(customer.rest.GET('/api/v1/orders/{id}', of(id)));
    expect(order.packages.map(({ recipient, address }) => ({ recipient, address }))).toEqual(
      packages.map(() => ({ recipient: { name: 'Erased', phone: '00000000' }, address: { address: 'Erased' } })),
    );
    expect(await cli.json(erase)).toMatchObject({ orders: 0 });
  });

  test('are not erased up to a time that has not come', async () => {
    const body = { before: new Date(Date.now() + 3_600_000).toISOString(), dry_run: false };
    const call = operator.operator.POST('/operator/v1/recipient-erasures', { body });
    expect(await refusalOf(call)).toEqual([400, 'VALIDATION_ERROR', 'before']);
  });
});

describe('the record', () => {
  test('holds ids and times only, and a restored database is told by it to erase again', async () => {
    const [erased, deleted] = [await newUser(service), await newUser(service)];
    await remove(service, erased);
    await eraseUser(erased.id);
    await remove(service, deleted);
    const settled = async () => {
      const { data } = await bodyOf(
        operator.operator.GET('/operator/v1/erasures', { params: { query: { page_size: 100 } } }),
      );
      return data.some(({ user_id, finished_at }) => user_id === erased.id && finished_at !== undefined);
    };
    await waitFor(settled, 'the end of the erasure');
    const { out } = await cli.run(['erasures', 'export']);
    for (const needle of Object.values({ ...erased.names, ...deleted.names })) expect(out).not.toContain(needle);

    // As a backup from before the deletions would have it.
    for (const { id, names } of [erased, deleted]) {
      const { name, email, phone } = names;
      await sql`
        update accounts set deleted_at = null, erased_at = null, name = ${name}, email = ${email}, phone = ${phone}
        where id = ${id}`.execute(service.db);
      await sql`delete from erasures where account_id = ${id}`.execute(service.db);
    }
    const file = join(cli.folder, 'erasures.ndjson');
    await writeFile(file, `${out}{"id":"${randomUUID()}","kind":"account","user_id":"${randomUUID()}"}\n`);
    expect((await cli.run(['erasures', 'reapply', '--file', file])).code).toBe(0);
    expect(await placesOf(service, erased)).toEqual({});
    expect(await haystack(service.db, ring, deleted.secrets)).toEqual({});
    const row = await service.db
      .selectFrom('accounts')
      .select('deleted_at')
      .where('id', '=', deleted.id)
      .executeTakeFirst();
    expect(row?.deleted_at).toBeInstanceOf(Date);
    const { data } = await bodyOf(operator.operator.GET('/operator/v1/erasures'));
    expect(await cli.json(['erasures', 'list'])).toMatchObject({ data });
    expect(await cli.json(['erasures', 'show', data[0]?.id ?? ''])).toEqual(data[0]);
    expect((await cli.run(['erasures', 'reapply', '--file', '-'], '{"kind":"other"}\n')).code).toBe(2);
  });
});
