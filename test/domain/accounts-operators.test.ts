import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { type Account, listAccounts } from '../../src/accounts/account.js';
import { deleteAccount } from '../../src/accounts/delete-account.js';
import { ensureFirstOperator, resetOperator } from '../../src/accounts/operators.js';
import { ownDatabase } from '../support/services.js';
import {
  actorOf,
  faultOf,
  makeAccount,
  newIp,
  PASSWORD,
  startIdentity,
  tokenOf,
  updateAccount,
} from './accounts-fixtures.js';

const { db } = await ownDatabase();
const identity = await startIdentity(db);
afterAll(identity.stop);
// Each test begins without accounts.
beforeEach(async () => {
  await sql`truncate accounts, sign_in_emails cascade`.execute(db);
});

const settings = { email: 'op@malote.example', password: PASSWORD };

const operators = async () => {
  const { rows } = await listAccounts(db, {}, { page: 1, pageSize: 100 });
  return rows.filter(({ role }) => role === 'operator');
};

describe('the first operator', () => {
  test('is made from the settings with a confirmed phone, and can sign in by every interface', async () => {
    expect(await ensureFirstOperator(db, settings)).toEqual({ created: true, email: settings.email });
    expect(await operators()).toMatchObject([{ email: settings.email, phoneConfirmed: true }]);
    expect(await identity.signIn(settings.email, PASSWORD, newIp())).toMatchObject({ ok: true, role: 'operator' });
    expect(await identity.apiLogin(settings.email, PASSWORD, newIp())).not.toBeNull();
  });

  test('gets a generated password when none is set', async () => {
    const start = await ensureFirstOperator(db, { email: settings.email });
    const generated = (start.created && start.generatedPassword) || '';
    expect(generated).toHaveLength(24);
    expect(await identity.signIn(settings.email, generated, newIp())).toMatchObject({ ok: true });
  });

  test('is made once when processes start together', async () => {
    const starts = Array.from({ length: 8 }, (_, number) =>
      ensureFirstOperator(db, { email: `op${number}@malote.example` }),
    );
    const results = await Promise.all(starts);
    expect(results.filter(({ created }) => created)).toHaveLength(1);
    expect(await operators()).toHaveLength(1);
  });

  test('is not made when any operator exists', async () => {
    await makeAccount(db, { role: 'operator' });
    const result = await ensureFirstOperator(db, { email: settings.email });
    expect(result).toEqual({ created: false, passwordRefused: false });
  });
});

describe('a password in the settings of a later start', () => {
  const refused = (change: object) => ensureFirstOperator(db, { ...settings, ...change });

  test('is reported when it is not the password of the operator', async () => {
    await ensureFirstOperator(db, settings);
    expect(await refused({})).toEqual({ created: false, passwordRefused: false });
    expect(await refused({ email: 'OP@malote.example' })).toEqual({ created: false, passwordRefused: false });
    expect(await refused({ password: 'another long password' })).toEqual({ created: false, passwordRefused: true });
    await makeAccount(db, { email: 'ana@malote.example' });
    for (const email of ['nobody@malote.example', 'ana@malote.example']) {
      expect(await refused({ email })).toEqual({ created: false, passwordRefused: true });
    }
  });
});

describe('resetting an operator', () => {
  test('clears its budgets of failed logins and passwords, and ends its tokens and API key', async () => {
    const account = await makeAccount(db, { role: 'operator', phoneConfirmed: true });
    const [ip, key] = [newIp(), await identity.apiKeyOf(account.id)];
    const token = await tokenOf(identity, account);
    const { email } = account;
    const guess = (currentPassword: string) =>
      faultOf(updateAccount(db, actorOf(account), account, { password: PASSWORD, currentPassword }));
    for (let failure = 1; failure <= 10; failure += 1) {
      await identity.signIn(email, 'not the password', ip);
      await guess('not the password');
    }
    expect([await identity.signIn(email, PASSWORD, ip), await guess(PASSWORD)]).toMatchObject([
      { reason: 'budget' },
      { code: 'RATE_LIMITED' },
    ]);
    const { generatedPassword = '' } = await resetOperator(db, { email: email.toUpperCase() });
    await identity.refresh();
    expect(await identity.actorOfToken(token)).toBeUndefined();
    expect((await faultOf(identity.authenticateApiKey(`ApiKey ${email}:${key}`))).code).toBe('UNAUTHENTICATED');
    expect(await identity.signIn(email, generatedPassword, ip)).toMatchObject({ ok: true });
    expect((await guess(generatedPassword)).code).toBe('none');
  });

  test('is refused for an unknown, deleted or customer account', async () => {
    const [ana, gone] = [await makeAccount(db), await makeAccount(db, { role: 'operator' })];
    const operator = await makeAccount(db, { role: 'operator' });
    await deleteAccount(db, actorOf(operator), gone.id);
    for (const email of [ana.email, gone.email, 'nobody@example.com']) {
      expect((await faultOf(resetOperator(db, { email }))).code).toBe('NOT_FOUND');
    }
  });
});

const demote = (by: Account, account: Account) =>
  updateAccount(db, actorOf(by), account, { role: 'customer', currentPassword: PASSWORD });
const remove = (by: Account, { id }: Account) => deleteAccount(db, actorOf(by), id);

test('the last operator stays when six operators delete and demote each other at once', async () => {
  const six = await Promise.all(Array.from({ length: 6 }, () => makeAccount(db, { role: 'operator' })));
  const attacks = six.flatMap((by) => six.map((on, index) => faultOf(index % 2 ? remove(by, on) : demote(by, on))));
  const codes = new Set((await Promise.all(attacks)).map(({ code }) => code));
  expect(await operators()).toHaveLength(1);
  // The password of an operator who was deleted meanwhile is refused with this code.
  codes.delete('VALIDATION_ERROR');
  expect([...codes].sort()).toEqual(['CONFLICT', 'NOT_FOUND', 'none']);
});
