import { randomUUID } from 'node:crypto';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { movement, newPackage, soon } from '../operator/fixtures.js';
import { PASSWORD } from '../support/password.js';
import { operatorLogin } from '../support/service.js';
import { sharedService } from '../support/services.js';
import { credentials, malote, operatorOf, saying } from './malote.js';

const service = await sharedService();
const customer = await service.customer();
const operator = operatorOf(service);

const LIST = 'packages list';
const login = `login --email ${operatorLogin.email} --password-stdin`;

describe('signing in', () => {
  test('stores the token so that only its owner can read it, and later needs no password', async () => {
    const own = malote({ MALOTE_URL: service.url });
    expect(await own.run(LIST)).toMatchObject(saying('malote login'));
    expect(await own.run(login, `${operatorLogin.password}\n`)).toMatchObject({ code: 0, out: '' });
    const { mode } = await stat(join(own.folder, 'config', 'malote', 'tokens.json'));
    expect((mode & 0o777).toString(8)).toBe('600');
    expect((await own.run(LIST)).code).toBe(0);
    expect((await own.run('logout')).code).toBe(0);
    expect((await own.run(LIST)).code).toBe(1);
  });

  test('happens again when the stored token has ended, if the environment has a password', async () => {
    const own = malote({ MALOTE_URL: service.url });
    await own.run(login, operatorLogin.password);
    const file = join(own.folder, 'config', 'malote', 'tokens.json');
    const tokens: Record<string, { accessToken: string }> = JSON.parse(await readFile(file, 'utf8'));
    for (const token of Object.values(tokens)) token.accessToken = 'e30.e30.e30';
    await writeFile(file, JSON.stringify(tokens));
    expect(await own.run(LIST)).toMatchObject(saying('malote login'));
    const XDG_CONFIG_HOME = join(own.folder, 'config');
    const renewed = malote({ MALOTE_URL: service.url, XDG_CONFIG_HOME, ...credentials });
    expect((await renewed.run(LIST)).code).toBe(0);
  });

  test('is refused with a wrong password', async () => {
    expect(await operator.run(login, 'wrong password')).toMatchObject(saying('UNAUTHENTICATED'));
  });

  test('uses OPERATOR_PASSWORD even if a token is stored: a wrong one is refused, a right one suffices', async () => {
    const own = malote({ MALOTE_URL: service.url, ...credentials });
    expect((await own.run(LIST)).code).toBe(0);
    const file = join(own.folder, 'config', 'malote', 'tokens.json');
    const stored = await readFile(file, 'utf8');
    expect((await own.run(LIST)).code).toBe(0);
    expect(await readFile(file, 'utf8')).toBe(stored);
    expect(stored).not.toContain(operatorLogin.password);
    const XDG_CONFIG_HOME = join(own.folder, 'config');
    const wrong = malote({ MALOTE_URL: service.url, XDG_CONFIG_HOME, ...credentials, OPERATOR_PASSWORD: 'wrong' });
    const err = expect.stringContaining(`does not take OPERATOR_PASSWORD for ${operatorLogin.email}`);
    expect(await wrong.run(LIST)).toMatchObject({ code: 1, err });
  });

  test('says that OPERATOR_PASSWORD comes before the token', async () => {
    const { err } = await operator.run(['login', '--password-stdin'], operatorLogin.password);
    const warning = 'OPERATOR_PASSWORD is set, too: the next commands sign in with it.';
    expect(err).toBe(`Signed in as ${operatorLogin.email}.\n${warning}\n`);
  });
});

test('a separate process signs in from the environment, reads, records and exits with the right code', async () => {
  const key = await newPackage(customer);
  const line = JSON.stringify(movement(key, { happened_at: soon(2000) }));
  const { code, out, err } = await operator.spawn('movements record --file - --json', `${line}\n`);
  expect([code, JSON.parse(out), err]).toEqual([0, expect.objectContaining({ recorded: 1, refused: 0 }), '']);
  const unreached = await operator.spawn('packages list --url http://127.0.0.1:9');
  expect(unreached).toEqual({ code: 3, out: '', err: expect.stringMatching(/^[^\n]+\n$/) });
});

describe('the exit code is', () => {
  test('1 when the service refuses, in one line that names every wrong field', async () => {
    const rates = 'rates add --base 1 --per-km x --per-kg 1.00 --per-extra-stop 1.00 --volumetric 1';
    const err = expect.stringMatching(/^malote: VALIDATION_ERROR: .*base .*per_km .*\n$/);
    expect(await operator.run(rates)).toEqual({ code: 1, out: '', err });
    const absent = await operator.run(['packages', 'show', randomUUID()]);
    expect(absent).toEqual({ code: 1, out: '', err: expect.stringMatching(/^[^\n]+\n$/) });
  });

  test('2 for a wrong setting, in one line that names it', async () => {
    const { code, out, err } = await malote({ MALOTE_URL: 'nowhere' }).run(LIST);
    expect([code, out, err]).toEqual([2, '', expect.stringMatching(/^malote: MALOTE_URL [^\n]*\n$/)]);
  });

  test.each([
    ['no command', []],
    ['an unknown command', 'fly'],
    ['an unknown command of a group', 'packages fly'],
    ['an unknown option', 'packages list --colour'],
    ['a missing operand', 'packages show'],
    ['an option of the wrong kind', 'packages list --page x'],
    ['an operand of the wrong kind', 'statuses show x'],
    ['contradicting options', `endpoints replay ${randomUUID()} --dead-letters --from 2026-01-01T00:00:00Z`],
    ['nobody to send to', 'endpoints send-now'],
    ['two to send to', `endpoints send-now ${randomUUID()} --all`],
    ['half an option', `movements record --package ${randomUUID()}`],
    ['a file that there is not', 'movements record --file nowhere.csv'],
    ['an address that is not a URL', 'packages list --url nowhere'],
  ])('2 for %s', async (_what, args) => {
    expect(await operator.run(args)).toEqual({ code: 2, out: '', err: expect.stringMatching(/./) });
  });

  test('3 when nothing answers, or another server does', async () => {
    expect(await operator.run(`${LIST} --url http://127.0.0.1:9`)).toMatchObject(saying('http://127.0.0.1:9', 3));
    const other = await operator.run(`${LIST} --url ${service.url}/docs`);
    expect(other.code).toBe(other.err.includes('No Malote service') ? 3 : 1);
  });

  test('1 for an unexpected error, in one line without a stack', async () => {
    const own = malote({ MALOTE_URL: service.url, XDG_CONFIG_HOME: '/dev/null', ...credentials });
    const err = expect.stringMatching(/^malote: failed: ENOTDIR[^\n]*\. NODE_DEBUG=malote shows where\.\n$/);
    expect(await own.run(LIST)).toMatchObject({ code: 1, err });
    expect((await own.spawn(LIST, '', { NODE_DEBUG: 'malote' })).err).toMatch(/MALOTE \d+: Error: [^\n]*\n +at /);
  });

  test('0 for help, with an example, and for the version', async () => {
    const { version }: { version: string } = JSON.parse(await readFile('package.json', 'utf8'));
    expect(await operator.run('--version')).toEqual({ code: 0, out: `${version}\n`, err: '' });
    const help = { code: 0, out: expect.stringContaining('$ malote endpoints replay') };
    expect(await operator.run('endpoints replay --help')).toMatchObject(help);
    expect((await operator.run('--help')).out).toContain('movements');
  });
});

describe('colours', () => {
  const ESCAPE = '\u001b[';
  const statuses = 'statuses list';

  test('are used at a terminal, but not in a pipe or with NO_COLOR', async () => {
    const [seen, piped] = [await operator.run(statuses, '', {}), await operator.run(statuses)];
    expect(seen.out).toContain(`${ESCAPE}1mCODE`);
    expect(stripVTControlCharacters(seen.out)).toBe(piped.out);
    expect(piped.out).not.toContain(ESCAPE);
    expect((await operator.run(statuses, '', { NO_COLOR: '1' })).out).toBe(piped.out);
    expect((await operator.run('packages show x', '', {})).err).toContain(`${ESCAPE}31mmalote:`);
    expect((await operator.run(`${statuses} --json`, '', {})).out).not.toContain(ESCAPE);
    expect((await operator.run('--help', '', {})).out).toContain(`${ESCAPE}1mUsage:`);
  });

  test('are used in a pipe with FORCE_COLOR', async () => {
    expect((await operator.spawn('--help', '', { FORCE_COLOR: '1' })).out).toContain(`${ESCAPE}1mUsage:`);
  });
});

describe('output', () => {
  test('is a table for people and JSON for scripts', async () => {
    const key = await newPackage(customer);
    const people = await operator.run('packages list --page-size 1');
    expect(people.out.split('\n')[0]).toMatch(/^LOGGI KEY +TRACKING CODE +STATUS/);
    expect(people.out).toContain(key);
    expect(await operator.json(`packages show ${key}`)).toMatchObject({ loggi_key: key, user_id: customer.id });
    expect((await operator.run(`packages show ${key}`)).out).toMatch(/status\.high_level_status +Adicionado/);
  });

  test('has no control characters from data', async () => {
    const name = 'Ana \u001b[31mSouza';
    const body = { email: 'red@malote.test', password: PASSWORD, name, phone: '+55 11 91234-5678' };
    await service.operator.rest.POST('/api/v1/users', { body });
    expect((await operator.run('users list --search red@malote.test')).out).toContain('Ana \\u001b[31mSouza');
  });
});
