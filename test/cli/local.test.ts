import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { type App, createApp } from '../../src/app/index.js';
import { withDatabase } from '../../src/app/run.js';
import { type Config, loadConfig } from '../../src/base/config.js';
import { createLog } from '../../src/base/telemetry/log.js';
import { startEmbedded } from '../../src/embedded/embedded.js';
import { createDatabase } from '../support/database.js';
import { waitFor } from '../support/receiver.js';
import { operatorLogin } from '../support/service.js';
import { ownDatabase, ownService } from '../support/services.js';
import { beside, saying } from './malote.js';

const FRESH = 'another operator password';
const reset = ['operators', 'reset-password', operatorLogin.email];

const database = await ownDatabase();
const service = { ...(await ownService({ DATABASE_URL: database.url })), db: database.db };

describe('malote operators reset-password', () => {
  const commands = beside({ DATABASE_URL: database.url, OPERATOR_PASSWORD: operatorLogin.password });

  const login = (password: string) =>
    service.anonymous.rest.POST('/auth/login', { body: { email: operatorLogin.email, password } });
  const statusOf = async (password: string) => (await login(password)).response.status;
  const me = () => service.operator.rest.GET('/api/v1/users/me');

  test('shows a generated password once, ends the tokens within a second, and resets the login budget', async () => {
    for (let failure = 1; failure <= 10; failure += 1) await login('not the password');
    expect(await statusOf(operatorLogin.password)).toBe(429);
    expect((await me()).response.status).toBe(200);
    const { code, out, err } = await commands.run([...reset, '--json']);
    expect([code, err]).toEqual([0, '']);
    const record = JSON.parse(out);
    expect(record).toEqual({ email: operatorLogin.email, password: expect.stringMatching(/^\S{24}$/) });
    expect([await statusOf(record.password), await statusOf(operatorLogin.password)]).toEqual([200, 401]);
    await waitFor(async () => (await me()).response.status === 401, 'the end of the tokens');
  });

  test('takes a password from standard input or the environment, and then shows none', async () => {
    const fromInput = await commands.run([...reset, '--password-stdin'], `${FRESH}\n`);
    expect([fromInput.code, await statusOf(FRESH)]).toEqual([0, 200]);
    const fromEnvironment = await commands.run([...reset, '--from-environment']);
    expect([fromEnvironment.code, await statusOf(operatorLogin.password)]).toEqual([0, 200]);
    expect(`${fromInput.out}${fromEnvironment.out}`).not.toContain('password');
  });

  test.each([
    ['no operator', ['operators', 'reset-password', 'nobody@malote.test'], '', 1, 'No such operator'],
    ['a short password', [...reset, '--password-stdin'], 'short', 1, 'must have 8 to 128 characters'],
    ['no e-mail address', ['operators', 'reset-password'], '', 2, 'missing required argument'],
  ])('says in one line what is wrong: %s', async (_, args, input, code, message) => {
    const result = await commands.run(args, input);
    expect([result.code, result.out]).toEqual([code, '']);
    expect(result.err).toContain(message);
  });

  test('has a related command that removes a lost second factor, which is in the audit log', async () => {
    const remove = ['operators', 'reset-second-factor', operatorLogin.email];
    expect(await commands.run(remove)).toMatchObject(saying('No such second factor'));
    const factor = { account_id: service.operator.id, secret_sealed: Buffer.alloc(0), confirmed_at: new Date() };
    await service.db.insertInto('second_factors').values(factor).execute();
    expect(await commands.json(remove)).toEqual({ email: operatorLogin.email });
    expect(await service.db.selectFrom('second_factors').selectAll().execute()).toEqual([]);
    const logged = service.db.selectFrom('audit_log').select(['actor_id', 'targets']);
    const entries = await logged.where('operation', '=', 'operators reset-second-factor').execute();
    expect(entries).toEqual([{ actor_id: null, targets: { id: service.operator.id } }]);
  });

  test('works for operators only', async () => {
    const customer = await service.customer();
    expect((await commands.run(`operators reset-password ${customer.email}`)).code).toBe(1);
  });

  test('says when there is no database, and when no service was ever started on it', async () => {
    const nowhere = beside({ DATABASE_URL: 'postgres://malote:x@127.0.0.1:1/malote' });
    expect(await nowhere.run(reset)).toMatchObject(saying(/ECONNREFUSED/, 3));
    const folder = beside({ DATA_DIR: join(tmpdir(), 'malote-test-nothing-here') });
    expect(await folder.run(reset)).toMatchObject(saying('there is no database in', 3));
    const empty = await createDatabase();
    await sql`drop schema public cascade`.execute(empty.db);
    expect(await beside({ DATABASE_URL: empty.url }).run(reset)).toMatchObject(saying('start the service on it'));
    await empty.drop();
  });
});

test('commands work on an embedded database, both while the service runs and while it does not', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'malote-test-local-'));
  const env = { NODE_ENV: 'test', HOST: '127.0.0.1', PORT: '0', INTERNAL_PORT: '0', DATA_DIR: dataDir };
  const login = { OPERATOR_EMAIL: operatorLogin.email };
  const [app, endFirst] = await startOn(loadConfig({ ...env, ...login }));
  const commands = beside({ DATA_DIR: dataDir });
  expect(await commands.spawn([...reset, '--password-stdin'], FRESH)).toMatchObject({ code: 0 });
  expect(await app.identity.signIn(operatorLogin.email, FRESH, '192.0.2.1')).toMatchObject({ ok: true });
  await endFirst();
  expect(await commands.run([...reset, '--password-stdin'], 'the third password')).toMatchObject({ code: 0 });
  const [again, endSecond] = await startOn(loadConfig({ ...env, ...login, OPERATOR_PASSWORD: FRESH }));
  expect(again.firstOperator).toEqual({ created: false, passwordRefused: true });
  const third = again.identity.signIn(operatorLogin.email, 'the third password', '192.0.2.1');
  expect(await third).toMatchObject({ ok: true });
  await endSecond();
  // No command still holds the database.
  await (await startEmbedded({ dataDir, log: createLog({ level: 'silent' }) })).stop();
  await rm(dataDir, { recursive: true, force: true });
});

/** Starts a service on the embedded database of its data directory. Resolves to it and to a function that ends both. */
async function startOn(given: Config): Promise<[App, () => Promise<void>]> {
  const { config, stop } = await withDatabase(given, createLog({ level: 'silent' }));
  const app = await createApp(config, { worker: false });
  return [app, () => app.stop().then(stop)];
}
