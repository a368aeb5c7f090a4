import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Account, confirmPhone, getAccount, listAccounts } from '../../src/accounts/account.js';
import { deleteAccount } from '../../src/accounts/delete-account.js';
import type { Identity } from '../../src/accounts/identity.js';
import { addPaymentMethod, paymentMethods } from '../../src/accounts/payment-methods.js';
import type { AccountChange } from '../../src/accounts/update-account.js';
import type { Actor } from '../../src/base/actor.js';
import { ownDatabase } from '../support/services.js';
import { actorOf, faultOf, makeAccount, newIp, PASSWORD, startIdentity, updateAccount } from './accounts-fixtures.js';

const { db } = await ownDatabase();
let identity: Identity;
let operator: Actor;

beforeAll(async () => {
  identity = await startIdentity(db);
  operator = actorOf(await make({ role: 'operator' }));
});
afterAll(() => identity.stop());

const update = (actor: Actor, account: Account, change: Partial<AccountChange>, ifMatch?: readonly number[]) =>
  updateAccount(db, actor, account, change, ifMatch);
const ABSENT = '01930f5e-7d3c-7a41-9c55-0d6f2b8e4a10';
const make = (input?: Parameters<typeof makeAccount>[1]) => makeAccount(db, input);
const expectFault = async (work: Promise<unknown>, code: string, ...fields: string[]) =>
  expect(await faultOf(work)).toEqual({ code, fields });

describe('a new account', () => {
  test('is a customer with one payment method, an invoice', async () => {
    const account = await make({ email: 'Bruno.Lima@Example.com', name: 'Bruno 🐎 Lima' });
    const fresh = { role: 'customer', version: 1, phoneConfirmed: false };
    expect(account).toMatchObject({ email: 'Bruno.Lima@Example.com', name: 'Bruno 🐎 Lima', ...fresh });
    const methods = await paymentMethods(db, account.id);
    expect(methods).toMatchObject([{ accountId: account.id, kind: 'invoice', label: 'Invoice' }]);
  });

  test('gets further payment methods, the first stays first', async () => {
    const account = await make();
    const pix = await addPaymentMethod(db, account.id, { kind: 'pix', label: 'Chave da loja' });
    expect((await paymentMethods(db, account.id)).map(({ kind }) => kind)).toEqual(['invoice', 'pix']);
    expect(pix.id).toBeGreaterThan(0);
    await expectFault(addPaymentMethod(db, ABSENT, { kind: 'pix', label: 'x' }), 'NOT_FOUND');
  });

  test('needs an e-mail address that nobody has, in any case, also when twenty come at once', async () => {
    const spellings = Array.from({ length: 20 }, (_, index) => (index % 2 ? 'RUSH@example.com' : 'rush@example.com'));
    const faults = await Promise.all(spellings.map((email) => faultOf(make({ email }))));
    expect(faults.map(({ code }) => code).sort()).toEqual([...Array(19).fill('CONFLICT'), 'none']);
    await expectFault(make({ email: 'Rush@Example.com' }), 'CONFLICT', 'email');
  });
});

describe('an account is seen', () => {
  test('by itself and by operators; another one is as absent', async () => {
    const [ana, bruno] = [await make(), await make()];
    expect(await getAccount(db, actorOf(ana), ana.id)).toEqual(ana);
    expect(await getAccount(db, operator, ana.id)).toEqual(ana);
    expect(await getAccount(db, actorOf(ana), bruno.id)).toBeUndefined();
    expect(await getAccount(db, actorOf(ana), ABSENT)).toBeUndefined();
  });

  test('in the list newest first, with the exact total on every page', async () => {
    const names = ['first', 'second', 'third'];
    for (const name of names) await make({ name: `Paging ${name}` });
    const page = (number: number) => listAccounts(db, { search: 'paging' }, { page: number, pageSize: 2 });
    expect((await page(1)).rows.map(({ name }) => name)).toEqual(['Paging third', 'Paging second']);
    expect(await page(2)).toMatchObject({ rows: [{ name: 'Paging first' }], total: 3 });
    expect(await page(3)).toEqual({ rows: [], total: 3 });
  });

  test.each([
    ['ção', ['Conceição 100%']],
    ['CONCEIÇÃO', ['Conceição 100%']],
    ['0%', ['Conceição 100%']],
    ['%', ['Conceição 100%']],
    ['a_b', ['under a_b']],
    ['\\', ['back \\ slash']],
    ['searchable.example', ['under a_b', 'Conceição 100%', 'back \\ slash']],
    ["' or 1=1 --", []],
  ])('in the search for %j as plain text, in any case', async (search, expected) => {
    const names = ['back \\ slash', 'Conceição 100%', 'under a_b'];
    if ((await listAccounts(db, { search: 'searchable' }, { page: 1, pageSize: 1 })).total === 0)
      for (const [index, name] of names.entries()) await make({ name, email: `n${index}@SEARCHABLE.example` });
    const { rows, total } = await listAccounts(db, { search }, { page: 1, pageSize: 20 });
    expect(rows.map(({ name }) => name)).toEqual(expected);
    expect(total).toBe(expected.length);
  });
});

describe('an update', () => {
  test('replaces e-mail address, name and phone, and raises the version', async () => {
    const ana = await make();
    const change = { email: 'ana.lima@example.com', name: 'Ana Lima', phone: '+55 21 99876-5432' };
    const changed = await update(actorOf(ana), ana, { ...change, currentPassword: PASSWORD });
    expect(changed).toMatchObject({ ...change, version: 2, role: 'customer' });
    expect(changed.updatedAt.getTime()).toBeGreaterThanOrEqual(ana.updatedAt.getTime());
    expect(await getAccount(db, operator, ana.id)).toEqual(changed);
  });

  test('of the phone clears its confirmation, even when an operator sends it along', async () => {
    for (const actor of [undefined, operator]) {
      const ana = await make({ phoneConfirmed: true });
      expect(await update(actor ?? actorOf(ana), ana, { name: 'Ana' })).toMatchObject({ phoneConfirmed: true });
      const change = { phone: '+55 21 99876-5432', phoneConfirmed: true, currentPassword: PASSWORD };
      const moved = await update(actor ?? actorOf(ana), ana, change);
      expect(moved).toMatchObject({ phoneConfirmed: false });
    }
  });

  test('of role and confirmation is for operators; sent as they are they pass', async () => {
    const ana = await make();
    const same = await update(actorOf(ana), ana, { role: 'customer', phoneConfirmed: false });
    expect(same).toMatchObject({ version: 2 });
    for (const reserved of [{ role: 'operator' }, { phoneConfirmed: true }] as const) {
      await expectFault(update(actorOf(ana), ana, reserved), 'FORBIDDEN');
      expect(await update(operator, ana, reserved)).toMatchObject(reserved);
    }
  });

  test('of another account is NOT_FOUND for a customer, as of an absent one', async () => {
    const [ana, bruno] = [await make(), await make()];
    await expectFault(update(actorOf(ana), bruno, { password: 'x'.repeat(8) }), 'NOT_FOUND');
    await expectFault(update(operator, { ...bruno, id: ABSENT }, {}), 'NOT_FOUND');
  });

  test('to an e-mail address that another account has is a CONFLICT, in any case', async () => {
    const [ana, bruno] = [await make(), await make()];
    await expectFault(update(operator, ana, { email: bruno.email.toUpperCase() }), 'CONFLICT', 'email');
    expect(await update(operator, ana, { email: ana.email.toUpperCase() })).toMatchObject({ version: 2 });
  });

  test('of a version that is not the present one is PRECONDITION_FAILED', async () => {
    const ana = await make();
    await expectFault(update(operator, ana, {}, [2]), 'PRECONDITION_FAILED');
    await expectFault(update(operator, ana, {}, []), 'PRECONDITION_FAILED');
    await expectFault(update(operator, ana, {}, [2, 1]), 'none');
  });

  test('of the same version passes once of four that meet at the record', async () => {
    const ana = await make();
    const rivals = await db.transaction().execute(async (trx) => {
      await trx.selectFrom('accounts').select('id').where('id', '=', ana.id).forUpdate().execute();
      const waiting = [1, 2, 3, 4].map((number) => faultOf(update(operator, ana, { name: `Rival ${number}` }, [1])));
      await new Promise((resolve) => setTimeout(resolve, 100));
      return () => Promise.all(waiting);
    });
    const codes = (await rivals()).map(({ code }) => code).sort();
    expect(codes).toEqual(['PRECONDITION_FAILED', 'PRECONDITION_FAILED', 'PRECONDITION_FAILED', 'none']);
    expect(await getAccount(db, operator, ana.id)).toMatchObject({ version: 2 });
  });
});

describe('deleting', () => {
  test('ends sign-in, hides the account, frees the e-mail address and keeps the row', async () => {
    const ana = await make();
    await deleteAccount(db, operator, ana.id);
    expect(await getAccount(db, operator, ana.id)).toBeUndefined();
    expect(await identity.signIn(ana.email, PASSWORD, newIp())).toMatchObject({ reason: 'credentials' });
    await expectFault(deleteAccount(db, operator, ana.id), 'NOT_FOUND');
    await expectFault(update(operator, ana, {}), 'NOT_FOUND');
    await expectFault(confirmPhone(db, ana.id), 'NOT_FOUND');
    expect(await make({ email: ana.email })).not.toMatchObject({ id: ana.id });
    const row = await db.selectFrom('accounts').selectAll().where('id', '=', ana.id).executeTakeFirst();
    expect(row?.deleted_at).toBeInstanceOf(Date);
  });

  test('is FORBIDDEN to a customer for itself, NOT_FOUND for another', async () => {
    const [ana, bruno] = [await make(), await make()];
    await expectFault(deleteAccount(db, actorOf(ana), ana.id), 'FORBIDDEN');
    await expectFault(deleteAccount(db, actorOf(ana), bruno.id), 'NOT_FOUND');
  });

  test('honours the version', async () => {
    const ana = await make();
    await expectFault(deleteAccount(db, operator, ana.id, [7]), 'PRECONDITION_FAILED');
    await expectFault(deleteAccount(db, operator, ana.id, [7, 1]), 'none');
  });
});

test('confirming the phone raises the version once', async () => {
  const ana = await make();
  const confirmed = await confirmPhone(db, ana.id);
  expect(confirmed).toMatchObject({ phoneConfirmed: true, version: 2 });
  expect(await confirmPhone(db, ana.id)).toEqual(confirmed);
});
