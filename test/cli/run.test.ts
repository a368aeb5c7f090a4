import { randomUUID } from 'node:crypto';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { movement, newPackage, soon } from '../operator/fixtures.js';
import { PASSWORD } from '../support/password.js';
import { type Caller, operatorLogin, type Service, startService } from '../support/service.js';
import { type Malote, malote } from './malote.js';

let service: Service;
let customer: Caller;
let operator: Malote;

const credentials = { OPERATOR_EMAIL: operatorLogin.email, OPERATOR_PASSWORD: operatorLogin.password };

beforeAll(async () => {
  service = await startService({}, { worker: false });
  customer = await service.customer();
  operator = await malote({ MALOTE_URL: service.url, ...credentials });
});
afterAll(async () => {
  await operator.remove();
  await service.stop();
});

describe('signing in', () => {
  test('keeps the token where only its owner can read it, and needs no password then', async () => {
    const own = await malote({ MALOTE_URL: service.url });
    const before = await own.run(['packages', 'list']);
    expect([before.code, before.err]).toEqual([1, expect.stringContaining('malote login')]);
    const login = ['login', '--email', operatorLogin.email, '--password-stdin'];
    const signedIn = await own.run(login, `${operatorLogin.password}\n`);
    expect([signedIn.code, signedIn.out]).toEqual([0, '']);
    const { mode } = await stat(join(own.folder, 'config', 'malote', 'tokens.json'));
    expect((mode & 0o777).toString(8)).toBe('600');
    expect((await own.run(['packages', 'list'])).code).toBe(0);
    expect((await own.run(['logout'])).code).toBe(0);
    expect((await own.run(['packages', 'list'])).code).toBe(1);
    await own.remove();
  });

  test('happens again when the stored token is no longer good, if the environment has a password', async () => {
    const own = await malote({ MALOTE_URL: service.url });
    await own.run(['login', '--email', operatorLogin.email, '--password-stdin'], operatorLogin.password);
    const file = join(own.folder, 'config', 'malote', 'tokens.json');
    const tokens: Record<string, { accessToken: string }> = JSON.parse(await readFile(file, 'utf8'));
    for (const token of Object.values(tokens)) token.accessToken = 'e30.e30.e30';
    await writeFile(file, JSON.stringify(tokens));
    const refused = await own.run(['packages', 'list']);
    expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('malote login')]);
    const renewed = await malote({
      MALOTE_URL: service.url,
      XDG_CONFIG_HOME: join(own.folder, 'config'),
      ...credentials,
    });
    expect((await renewed.run(['packages', 'list'])).code).toBe(0);
    await Promise.all([own.remove(), renewed.remove()]);
  });

  test('with the wrong password is refused', async () => {
    const { code, err } = await operator.run(
      ['login', '--email', operatorLogin.email, '--password-stdin'],
      'wrong password',
    );
    expect([code, err]).toEqual([1, expect.stringContaining('UNAUTHENTICATED')]);
  });

  test('with a wrong OPERATOR_PASSWORD is refused although a token is stored, and with the right one asks for no other', async () => {
    const own = await malote({ MALOTE_URL: service.url, ...credentials });
    expect((await own.run(['packages', 'list'])).code).toBe(0);
    const file = join(own.folder, 'config', 'malote', 'tokens.json');
    const stored = await readFile(file, 'utf8');
    expect((await own.run(['packages', 'list'])).code).toBe(0);
    expect(await readFile(file, 'utf8')).toBe(stored);
    expect(stored).not.toContain(operatorLogin.password);
    const XDG_CONFIG_HOME = join(own.folder, 'config');
    const wrong = await malote({
      MALOTE_URL: service.url,
      XDG_CONFIG_HOME,
      ...credentials,
      OPERATOR_PASSWORD: 'wrong',
    });
    const { code, err } = await wrong.run(['packages', 'list']);
    expect([code, err]).toEqual([
      1,
      expect.stringContaining(`does not take OPERATOR_PASSWORD for ${operatorLogin.email}`),
    ]);
    await Promise.all([own.remove(), wrong.remove()]);
  });

  test('says that OPERATOR_PASSWORD comes before the token', async () => {
    const { err } = await operator.run(['login', '--password-stdin'], operatorLogin.password);
    expect(err).toBe(
      `Signed in as ${operatorLogin.email}.\nOPERATOR_PASSWORD is set, too: the next commands sign in with it.\n`,
    );
  });
});

describe('as a process of its own', () => {
  test('signs in from the environment, reads, records and exits with the code', async () => {
    const key = await newPackage(customer);
    const people = await operator.spawn(['packages', 'list', '--page-size', '1']);
    expect(people).toEqual({ code: 0, out: expect.stringContaining(key), err: '' });
    const line = JSON.stringify(movement(key, { happened_at: soon(2000) }));
    const recorded = await operator.spawn(['movements', 'record', '--file', '-', '--json'], `${line}\n`);
    expect([recorded.code, JSON.parse(recorded.out)]).toEqual([
      0,
      expect.objectContaining({ recorded: 1, refused: 0 }),
    ]);
    const [refused, misused, unreached] = await Promise.all([
      operator.spawn(['packages', 'show', randomUUID()]),
      operator.spawn(['packages', 'fly']),
      operator.spawn(['packages', 'list', '--url', 'http://127.0.0.1:9']),
    ]);
    expect([refused.code, misused.code, unreached.code]).toEqual([1, 2, 3]);
    for (const { out, err } of [refused, misused, unreached])
      expect([out, err.split('\n')]).toEqual(['', [expect.any(String), '']]);
  });

  test('ends with one line that names a wrong setting', async () => {
    const own = await malote({ MALOTE_URL: 'nowhere' });
    const { code, err } = await own.spawn(['packages', 'list']);
    expect([code, err]).toEqual([2, expect.stringMatching(/^malote: MALOTE_URL [^\n]*\n$/)]);
    await own.remove();
  });
});

describe('exit codes', () => {
  test('1 when the service refuses, in one line that names every wrong field', async () => {
    const { code, err } = await operator.run([
      'rates',
      'add',
      '--base',
      '1',
      '--per-km',
      'x',
      '--per-kg',
      '1.00',
      '--per-extra-stop',
      '1.00',
      '--volumetric',
      '1',
    ]);
    expect(code).toBe(1);
    expect(err).toMatch(/^malote: VALIDATION_ERROR: .*base .*per_km .*\n$/);
  });

  test.each([
    ['no command', []],
    ['an unknown command', ['fly']],
    ['an unknown option', ['packages', 'list', '--colour']],
    ['a missing operand', ['packages', 'show']],
    ['an option of the wrong kind', ['packages', 'list', '--page', 'x']],
    ['an operand of the wrong kind', ['statuses', 'show', 'x']],
    [
      'contradicting options',
      ['endpoints', 'replay', randomUUID(), '--dead-letters', '--from', '2026-01-01T00:00:00Z'],
    ],
    ['nobody to send to', ['endpoints', 'send-now']],
    ['two to send to', ['endpoints', 'send-now', randomUUID(), '--all']],
    ['half an option', ['movements', 'record', '--package', randomUUID()]],
    ['a file that there is not', ['movements', 'record', '--file', 'nowhere.csv']],
    ['an address that is not a URL', ['packages', 'list', '--url', 'nowhere']],
  ])('2 for %s', async (_what, args) => {
    const { code, err } = await operator.run(args);
    expect([code, err]).not.toEqual([2, '']);
    expect(code).toBe(2);
  });

  test('3 when nothing answers, or something else does', async () => {
    const gone = await operator.run(['packages', 'list', '--url', 'http://127.0.0.1:9']);
    expect([gone.code, gone.err]).toEqual([3, expect.stringContaining('http://127.0.0.1:9')]);
    const other = await operator.run(['packages', 'list', '--url', `${service.url}/docs`]);
    expect(other.code).toBe(other.err.includes('No Malote service') ? 3 : 1);
  });

  test('1 for what nobody thought of, in one line without a stack', async () => {
    const own = await malote({ MALOTE_URL: service.url, XDG_CONFIG_HOME: '/dev/null', ...credentials });
    const { code, err } = await own.run(['packages', 'list']);
    expect([code, err]).toEqual([
      1,
      expect.stringMatching(/^malote: failed: ENOTDIR[^\n]*\. NODE_DEBUG=malote shows where\.\n$/),
    ]);
    const shown = await own.spawn(['packages', 'list'], '', { NODE_DEBUG: 'malote' });
    expect(shown.err).toMatch(/MALOTE \d+: Error: [^\n]*\n +at /);
    await own.remove();
  });

  test('0 for help, with an example, and for the version', async () => {
    const { version }: { version: string } = JSON.parse(await readFile('package.json', 'utf8'));
    expect(await operator.run(['--version'])).toEqual({ code: 0, out: `${version}\n`, err: '' });
    const { code, out } = await operator.run(['endpoints', 'replay', '--help']);
    expect([code, out]).toEqual([0, expect.stringContaining('$ malote endpoints replay')]);
    expect((await operator.run(['--help'])).out).toContain('movements');
  });
});

describe('colours', () => {
  const ESCAPE = '\u001b[';
  const list = ['statuses', 'list'];

  test('are for people: in no pipe, and not where NO_COLOR says so', async () => {
    const [seen, piped] = [await operator.run(list, '', {}), await operator.run(list)];
    expect(seen.out).toContain(`${ESCAPE}1mCODE`);
    expect(stripVTControlCharacters(seen.out)).toBe(piped.out);
    expect(piped.out).not.toContain(ESCAPE);
    expect((await operator.run(list, '', { NO_COLOR: '1' })).out).toBe(piped.out);
    expect((await operator.run(['packages', 'show', 'x'], '', {})).err).toContain(`${ESCAPE}31mmalote:`);
    expect((await operator.run([...list, '--json'], '', {})).out).not.toContain(ESCAPE);
    expect((await operator.run(['--help'], '', {})).out).toContain(`${ESCAPE}1mUsage:`);
  });

  test('go into a pipe where FORCE_COLOR says so', async () => {
    expect((await operator.spawn(['--help'], '', { FORCE_COLOR: '1' })).out).toContain(`${ESCAPE}1mUsage:`);
  });
});

describe('output', () => {
  test('is a table for people and JSON for scripts', async () => {
    const key = await newPackage(customer);
    const people = await operator.run(['packages', 'list', '--page-size', '1']);
    expect(people.out.split('\n')[0]).toMatch(/^LOGGI KEY +TRACKING CODE +STATUS/);
    expect(people.out).toContain(key);
    expect(await operator.json(['packages', 'show', key])).toMatchObject({ loggi_key: key, user_id: customer.id });
    expect((await operator.run(['packages', 'show', key])).out).toMatch(/status\.high_level_status +Adicionado/);
  });

  test('holds no control character of other people', async () => {
    const name = 'Ana \u001b[31mSouza';
    await service.operator.rest.POST('/api/v1/users', {
      body: { email: 'red@malote.test', password: PASSWORD, name, phone: '+55 11 91234-5678' },
    });
    const { out } = await operator.run(['users', 'list', '--search', 'red@malote.test']);
    expect(out).toContain('Ana \\u001b[31mSouza');
  });
});
