import { describe, expect, test } from '@jest/globals';
import { PASSWORD } from '../support/password.js';
import { authenticator, enrolledOperator, newOperator } from '../support/second-factor.js';
import { ownService } from '../support/services.js';
import { type Malote, malote, saying } from './malote.js';

/** The sign-in of the command line, and the operator's own second factor. */

const now = Date.now();
const service = await ownService({}, { worker: false, clock: () => new Date(now) });

const commandsOf = (settings: Record<string, string>): Malote => malote({ MALOTE_URL: service.url, ...settings });

const inEnvironment = ({ email }: { email: string }) => ({ MALOTE_EMAIL: email, MALOTE_PASSWORD: PASSWORD });
const look = ['statuses', 'list'];
const make = ['operator-keys', 'create', '--name', 'Scanner', '--scope', 'read'];

describe('the sign-in of an operator with a second factor', () => {
  test('asks for a code at a terminal, both in malote login and in commands with a password in the environment', async () => {
    const { codeOf, ...login } = await enrolledOperator(service, now);
    const byLogin = commandsOf({});
    const signedIn = await byLogin.typed(`login --email ${login.email}`, [PASSWORD, codeOf(1)]);
    expect(signedIn).toMatchObject(saying(/Code of the second factor: .*Signed in as/s, 0));
    expect(signedIn.err).not.toContain(codeOf(1));
    expect((await byLogin.run(make)).code).toBe(0);

    const other = await enrolledOperator(service, now);
    const byPassword = commandsOf(inEnvironment(other));
    expect((await byPassword.typed(make, [other.codeOf(1)])).code).toBe(0);
    // The token is stored, so the command does not ask again.
    expect((await byPassword.run(make)).code).toBe(0);
  });

  test('takes the code from MALOTE_CODE without a terminal', async () => {
    const { codeOf, recoveryCodes, ...login } = await enrolledOperator(service, now);
    const [MALOTE_CODE = ''] = recoveryCodes;
    expect((await commandsOf({ ...inEnvironment(login), MALOTE_CODE }).run(make)).code).toBe(0);
    expect(await commandsOf({ ...inEnvironment(login), MALOTE_CODE }).run(make)).toMatchObject(saying('MALOTE_CODE'));
  });

  test('only allows reads without a code, and says how to give one', async () => {
    const login = await enrolledOperator(service, now);
    const commands = commandsOf({});
    const { err } = await commands.run(`login --email ${login.email} --password-stdin`, PASSWORD);
    expect(err).toContain('without its second factor: the token only reads');
    expect((await commands.run(look)).code).toBe(0);
    expect(await commands.run(make)).toMatchObject(saying(/FORBIDDEN.*malote login asks for the code/));
  });
});

test('operators without a second factor, and customers, sign in as before', async () => {
  expect((await commandsOf(inEnvironment(await newOperator(service))).run(make)).code).toBe(0);
  const customer = await service.customer();
  const failures = () =>
    service.db.selectFrom('login_failures').select('subject').where('failures', '>', 0).orderBy('subject').execute();
  const before = await failures();
  const commands = commandsOf(inEnvironment(customer));
  expect(await commands.json('orders list')).toMatchObject({ data: [] });
  expect((await commands.run(look)).err).toContain('FORBIDDEN');
  // A customer is tried at the operator interface first, which counts no failed login.
  expect(await failures()).toEqual(before);
});

describe('setting up a second factor', () => {
  test('takes one command at a terminal, whose token stays valid', async () => {
    const login = await newOperator(service);
    const commands = commandsOf(inEnvironment(login));
    const begun = await commands.typed('second-factor begin', ['000000']);
    expect(begun).toMatchObject(saying('code is not the code of the present'));
    expect((await commands.run(make)).code).toBe(0);
  });

  test('takes two commands without a terminal, and the token of the second stays valid', async () => {
    const login = await newOperator(service);
    const commands = commandsOf(inEnvironment(login));
    const begun = Object(await commands.json('second-factor begin'));
    const code = authenticator(begun.secret, now)();
    const confirm = ['second-factor', 'confirm', '--enrolment', begun.enrolment, '--code', code];
    expect(await commands.json(confirm)).toEqual({ recovery_codes: expect.any(Array) });
    expect((await commands.run(make)).code).toBe(0);
    expect((await commandsOf(inEnvironment(login)).run(make)).err).toContain('FORBIDDEN');
  });
});

const all = ['operator-keys', 'create', '--name', 'Backoffice', '--scope', 'all'];

test('making a key of scope all needs the password of the environment, a code, or a typed password', async () => {
  const login = await newOperator(service);
  expect((await commandsOf(inEnvironment(login)).run(all)).code).toBe(0);

  const { email, codeOf } = await enrolledOperator(service, now);
  const commands = commandsOf({});
  await commands.typed(`login --email ${email}`, [PASSWORD, codeOf(1)]);
  expect((await commands.run([...all, '--code', '000000'])).err).toContain('code is not valid');
  expect((await commands.run([...all, '--password-stdin'], PASSWORD)).code).toBe(0);
  expect((await commands.typed(all, [PASSWORD])).code).toBe(0);
});

test('a new password ends the keys of an operator, unless --keep-keys is given', async () => {
  const commands = commandsOf(inEnvironment(await newOperator(service)));
  const revoked = async (options: readonly string[]) => {
    const maker = await newOperator(service);
    const made = JSON.parse(JSON.stringify(await commandsOf(inEnvironment(maker)).json(make)));
    await commands.json(['users', 'update', maker.email, '--password-stdin', ...options], 'another password');
    const shown = await commands.json(`operator-keys show ${made.operator_key.id}`);
    return Object(shown).revoked_at !== undefined;
  };
  expect([await revoked([]), await revoked(['--keep-keys'])]).toEqual([true, false]);
});
