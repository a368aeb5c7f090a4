import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { eraseUser, newUser, placesOf, remove, ring, settings } from '../operator/erasure-fixtures.js';
import { at, bodyOf, movement, placeOrder, record, refusalOf } from '../operator/fixtures.js';
import { haystack } from '../support/needles.js';
import { waitFor } from '../support/receiver.js';
import { ownService } from '../support/services.js';
import { operatorOf, saying } from './malote.js';

const service = await ownService(settings);
const { operator } = service;
const cli = operatorOf(service);

describe('a hold', () => {
  test('keeps a user, named by e-mail address, from being erased until it is released', async () => {
    const user = await newUser(service);
    await remove(service, user);
    const deleted = await cli.json(['users', 'deleted', '--email', user.email.toUpperCase()]);
    expect(deleted).toMatchObject({ data: [{ id: user.id, email: user.email }] });
    const hold = { user_id: user.id, held_at: expect.any(String) };
    expect(await cli.json(`users hold ${user.email}`)).toMatchObject(hold);
    expect(await cli.run(`users erase ${user.id}`)).toMatchObject(saying('CONFLICT'));
    expect(await cli.json(`users release ${user.id}`)).not.toHaveProperty('held_at');
    expect(await cli.json(`users erase ${user.id}`)).toMatchObject({ erased_at: expect.any(String) });
    expect(await cli.run(`users hold ${user.id}`)).toMatchObject(saying('erased already'));
  });

  test('asks for an id when several users had the e-mail address', async () => {
    const first = await newUser(service);
    await remove(service, first);
    const second = await service.customer({ email: first.email });
    const { code, err } = await cli.run(`users hold ${first.email}`);
    expect([code, err.includes(first.id), err.includes(second.id)]).toEqual([2, true, true]);
    expect((await cli.run('users hold nobody@exemplo.test')).code).toBe(1);
  });
});

describe('recipients', () => {
  test('are counted first, and erased with --yes', async () => {
    const customer = await service.customer();
    const { id, packages } = await placeOrder(customer, 2);
    const moved = packages.map(({ loggi_key }) => movement(loggi_key, { status_code: 5 }));
    await bodyOf(record(operator, ...moved));
    const erase = ['recipients', 'erase', '--before', new Date().toISOString()];
    expect(await cli.json(erase)).toMatchObject({ dry_run: true, orders: 1, pickups: 1, packages: 2, more: false });
    const read = () => bodyOf(customer.rest.GET('/api/v1/orders/{id}', at(id)));
    expect((await read()).packages[0]?.recipient.name).toBe('Bruno Lima');
    const erasure = { kind: 'recipients', orders: 1, finished_at: expect.any(String) };
    expect(await cli.json([...erase, '--yes'])).toMatchObject(erasure);
    const order = await read();
    expect(order.packages.map(({ recipient, address }) => ({ recipient, address }))).toEqual(
      packages.map(() => ({ recipient: { name: 'Erased', phone: '00000000' }, address: { address: 'Erased' } })),
    );
    expect(await cli.json(erase)).toMatchObject({ orders: 0 });
  });

  test('are not erased up to a future time', async () => {
    const body = { before: new Date(Date.now() + 3_600_000).toISOString(), dry_run: false };
    const call = operator.operator.POST('/operator/v1/recipient-erasures', { body });
    expect(await refusalOf(call)).toEqual([400, 'VALIDATION_ERROR', 'before']);
  });
});

test('the record of erasures has only ids and times, and repeats them in a restored database', async () => {
  const [erased, deleted] = [await newUser(service), await newUser(service)];
  await remove(service, erased);
  await eraseUser(service, erased.id);
  await remove(service, deleted);
  /** Waits for the end of the user's erasure, until later reads agree. */
  const finished = async () => {
    const params = { query: { page_size: 100 } };
    const { data } = await bodyOf(operator.operator.GET('/operator/v1/erasures', { params }));
    return data.find(({ user_id, finished_at }) => user_id === erased.id && finished_at !== undefined);
  };
  await waitFor(async () => (await finished()) !== undefined, 'the end of the erasure');
  const { out } = await cli.run('erasures export');
  for (const needle of Object.values({ ...erased.names, ...deleted.names })) expect(out).not.toContain(needle);

  // A restored backup from before the deletions has these rows again.
  for (const { id, names } of [erased, deleted]) {
    const { name, email, phone } = names;
    await sql`
      update accounts set deleted_at = null, erased_at = null, name = ${name}, email = ${email}, phone = ${phone}
      where id = ${id}`.execute(service.db);
    await sql`delete from erasures where account_id = ${id}`.execute(service.db);
  }
  const file = join(cli.folder, 'erasures.ndjson');
  await writeFile(file, `${out}{"id":"${randomUUID()}","kind":"account","user_id":"${randomUUID()}"}\n`);
  expect((await cli.run(`erasures reapply --file ${file}`)).code).toBe(0);
  await waitFor(async () => (await finished()) !== undefined, 'the end of the erasure anew');
  expect(await placesOf(service, erased)).toEqual({});
  expect(await haystack(service.db, ring, deleted.secrets)).toEqual({});
  const account = service.db.selectFrom('accounts').where('id', '=', deleted.id);
  expect((await account.select('deleted_at').executeTakeFirst())?.deleted_at).toBeInstanceOf(Date);
  const erasure = await finished();
  const listed: unknown = await cli.json('erasures list');
  expect(listed).toMatchObject({ data: expect.arrayContaining([erasure]) });
  expect(await cli.json(['erasures', 'show', erasure?.id ?? ''])).toEqual(erasure);
  expect((await cli.run('erasures reapply --file -', '{"kind":"other"}\n')).code).toBe(2);
});
