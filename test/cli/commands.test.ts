import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { newId } from '../../src/base/ids.js';
import { movement, newPackage, newPackages, soon } from '../operator/fixtures.js';
import { must } from '../support/http.js';
import { PASSWORD } from '../support/password.js';
import { waitFor } from '../support/receiver.js';
import { ownService } from '../support/services.js';
import { malote, operatorOf, saying } from './malote.js';

const service = await ownService();
const customer = await service.customer();
const operator = operatorOf(service);

test('commands create a user with a password from standard input, confirm it, and add a payment method and a key', async () => {
  const create = 'users create --email bia@malote.test --name Bia --phone +5511912345678 --password-stdin';
  const bia = { email: 'bia@malote.test', role: 'customer', phone_confirmed: false };
  expect(await operator.json(create, PASSWORD)).toMatchObject(bia);
  const { id } = await service.signIn({ email: 'bia@malote.test', password: PASSWORD });
  expect(await operator.json(`phones confirm ${id}`)).toMatchObject({ phone_confirmed: true });
  expect(await operator.json(`payment-methods add ${id} --kind pix --label Pix`)).toMatchObject({ kind: 'pix' });
  expect((await operator.run(`payment-methods list ${id}`)).out).toMatch(/invoice[\s\S]*pix/);
  expect(await operator.json(`api-keys rotate ${id} --overlap 3600`)).toMatchObject({ user_id: id, version: 2 });
});

test('commands list and revoke API keys of a user', async () => {
  const user = await service.customer();
  const { data } = await user.rest.POST('/api/v1/api-keys', { body: { name: 'Shop', scope: 'read' } });
  const key = data?.api_key.id ?? '';
  expect((await operator.run(`api-keys list ${user.email}`)).out).toMatch(/Shop +read/);
  expect(await operator.run(`api-keys revoke ${user.email} ${key}`)).toMatchObject({ code: 0, err: 'Revoked.\n' });
  const revoked = { data: [{ id: key, revoked_at: expect.any(String) }] };
  expect(await operator.json(`api-keys list ${user.id}`)).toMatchObject(revoked);
});

test('commands invite, list, change and remove members of an account, and make links for them', async () => {
  const { id, email } = await service.customer();
  const invitation = `members invite ${email} --name Bia --email bia@people.test --role shipper`;
  const { member, link } = Object(await operator.json(invitation));
  expect([member, link.url]).toEqual([
    expect.objectContaining({ user_id: id, role: 'shipper' }),
    expect.stringContaining('/envios/password/mil_'),
  ]);
  expect((await operator.run(`members list ${email}`)).out).toMatch(/bia@people.test +Bia +shipper +invited/);
  const changed = await operator.json(`members update ${email} ${member.id} --role viewer`);
  expect(changed).toMatchObject({ name: 'Bia', role: 'viewer' });
  expect(await operator.json(`members link ${email} ${member.id}`)).toMatchObject({ token: expect.any(String) });
  expect(await operator.json(`members show ${email} ${member.id}`)).toMatchObject({ email: 'bia@people.test' });
  expect(await operator.run(`members remove ${email} ${member.id} --keep-api-keys`)).toMatchObject({
    err: 'Removed.\n',
  });
  expect((await operator.run(`members list ${email}`)).out).not.toContain('Bia');
});

test('commands make, use, list, show and revoke operator keys, and the audit log has all of it', async () => {
  const create = `operator-keys create --name Scanner --scope movements --expires ${soon(3_600_000)}`;
  const creation = await operator.json(create);
  const operator_key = expect.objectContaining({ scope: 'movements' });
  expect(creation).toEqual({ operator_key, secret: expect.any(String) });
  const { operator_key: key, secret } = Object(creation);
  expect((await operator.run(`operator-keys list --operator ${service.operator.id}`)).out).toContain(key.id);
  expect(await operator.json(`operator-keys show ${key.id}`)).toMatchObject({ id: key.id });

  const scanner = malote({ MALOTE_URL: service.url, OPERATOR_KEY: secret });
  const moved = movement(await newPackage(customer));
  expect((await scanner.run('movements record --file -', `${JSON.stringify(moved)}\n`)).code).toBe(0);
  expect(await scanner.run('rates list')).toMatchObject(saying('FORBIDDEN'));
  const phone: unknown = await operator.json('operator-keys create --name Phone --scope courier');
  expect(phone).toMatchObject({ operator_key: { scope: 'courier' } });
  // REST takes no operator key.
  expect((await scanner.run('users list')).err).toContain('malote login');

  expect(await operator.json(`operator-keys revoke ${key.id}`)).toMatchObject({ revoked_at: expect.any(String) });
  // Every process, this one included, learns of the revocation within a second.
  await waitFor(async () => (await scanner.run('statuses list')).code === 1, 'the end of the key');
  expect((await scanner.run('statuses list')).err).toContain('OPERATOR_KEY');

  const audit = ['audit-log', 'list', '--operator', service.operator.id, '--operation', 'revokeOperatorKey'];
  const log = await operator.json([...audit, '--from', soon(-3_600_000), '--to', soon(3_600_000)]);
  expect(log).toMatchObject({ data: [{ targets: { id: key.id } }] });
  expect((await operator.run(`audit-log list --key ${key.id}`)).out).toBe('none\n');
  expect((await operator.run(audit)).out).toMatch(/revokeOperatorKey/);
});

test('statuses and rates are added and shown', async () => {
  const add = 'statuses add --code 19 --name Alfândega --description Aguarda. --stage processing';
  expect(await operator.json(add)).toMatchObject({ code: 19, final: false });
  expect((await operator.run('statuses list')).out).toContain('Alfândega');
  const rates = 'rates add --base 9.90 --per-km 1.30 --per-kg 0.95 --per-extra-stop 3.50 --volumetric 6000';
  const once = `${rates} --idempotency-key rates-2026`;
  expect(await operator.json(once)).toMatchObject({ version: 2, base: '9.90' });
  expect(await operator.json(once)).toMatchObject({ version: 2 });
  expect(await operator.json('rates current')).toMatchObject({ version: 2 });
});

test('zones are written as CSV, and read with commas or semicolons', async () => {
  const csv = (await operator.run(['rates', 'show', '1', '--csv'])).out;
  expect(csv.split('\n').slice(0, 3)).toEqual([
    'service,up_to_km,1000,2000,5000,10000,20000,30000,per_further_kg',
    'express,150,19.90,22.90,28.90,37.90,54.90,69.90,1.50',
    'economy,150,18.90,20.90,25.90,33.90,48.90,62.90,1.30',
  ]);
  const first = await operator.json(['rates', 'show', '1']);
  const card = '--base 9.90 --per-km 0.12 --per-kg 0.90 --per-extra-stop 3.50 --volumetric 6000'.split(' ');
  const more = '--economy-days 3 --ad-valorem-percent 0.30 --ad-valorem-least 1.00 --zones -'.split(' ');
  const brazilian = csv.replaceAll(',', ';').replaceAll(/(\d)\.(\d\d)/g, '$1,$2');
  for (const stdin of [csv, brazilian]) {
    const added = await operator.json(['rates', 'add', ...card, ...more], stdin);
    expect(added).toEqual({ ...Object(first), version: expect.any(Number), created_at: expect.any(String) });
  }
  expect((await operator.run(['rates', 'current'])).out).toMatch(/economy\W+4000\W+58\.90/);
  const refused = await operator.run(['rates', 'preview', ...card, ...more], csv.replace('22.90', '9.90'));
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('zones.rows.0.prices.1')]);
  for (const [from, to] of [
    ['per_further_kg', 'further'],
    ['express,150', 'fast,150'],
    [',1.50', ''],
    ['economy,150', 'economy,151'],
  ] as const) {
    const { code } = await operator.run(['rates', 'add', ...card, ...more], csv.replace(from, to));
    expect([from, code]).toEqual([from, 2]);
  }
});

describe('movements record', () => {
  test('records one movement by options', async () => {
    const key = await newPackage(customer);
    const args = `movements record --package ${key} --status 6 --at ${soon(2000)} --city Santos --state SP`;
    const reason = ['--reason-label', 'Endereço incompleto', '--reason-description', 'Falta o número.'];
    expect(await operator.json([...args.split(' '), ...reason])).toMatchObject({ result: 'recorded' });
    expect(await operator.json(`packages show ${key}`)).toMatchObject({
      location: { city: 'Santos', state: 'SP' },
      status: { code: 6, action_required: { reason_label: 'Endereço incompleto' } },
    });
    expect(await operator.run(args)).toMatchObject({ code: 1, out: expect.stringContaining('VALIDATION_ERROR') });
  });

  test('records attempts, by which lists of packages can be filtered', async () => {
    const [closed = '', refused = '', ended = ''] = await newPackages(customer, 3);
    const next = soon(24 * 60 * 60 * 1000).slice(0, 10);
    for (const [key, outcome] of Object.entries({ [closed]: 'closed', [refused]: 'refused', [ended]: 'closed' })) {
      const tried = `movements record --package ${key} --status 18 --attempt ${outcome} --next-on ${next}`;
      expect(await operator.json(tried)).toMatchObject({ result: 'recorded' });
    }
    const attempts = { count: 1, last_outcome: 'closed', next_on: next };
    expect(await operator.json(`packages show ${closed}`)).toMatchObject({ attempts });
    expect((await operator.run(`packages history ${closed}`)).out).toMatch(/18 .* closed /);
    await operator.json(`movements record --package ${ended} --status 5 --at ${soon(2000)}`);

    const listed = async (filters: string) => {
      const { data } = Object(await operator.json(`packages list ${filters}`));
      return data.map(({ loggi_key: key }: { loggi_key: string }) => key).sort();
    };
    expect(await listed('--attempt-outcome closed')).toEqual([closed, ended].sort());
    expect(await listed('--attempt-outcome closed --open')).toEqual([closed]);
    expect(await listed('--attempt-outcome refused')).toEqual([refused]);
    expect(await listed('--attempt-outcome damaged')).toEqual([]);
    expect((await operator.run('packages list --attempt-outcome closed')).out).toContain('1 closed');
    expect(await operator.run('packages list --attempt-outcome stolen')).toMatchObject({ code: 2 });
  });

  test('reads CSV, names the refused lines, and records nothing twice', async () => {
    const [one = '', other = ''] = await newPackages(customer, 2);
    const lines = [
      'loggi_key,status_code,happened_at,location.city,location.state',
      `${one},3,${soon(-5000)},"São Paulo, capital",SP`,
      `${other},x,${soon(-4000)},,`,
      `${randomUUID()},3,${soon(-3000)},,`,
      `${other},14,${soon(-2000)},,`,
    ];
    const file = join(operator.folder, 'scans.csv');
    await writeFile(file, `${lines.join('\r\n')}\r\n`);
    const first = await operator.run(`movements record --file ${file} --json`);
    expect(first.code).toBe(1);
    const refusals = ['VALIDATION_ERROR', 'NOT_FOUND'].map((code, at) => ({ line: at + 3, code }));
    expect(JSON.parse(first.out)).toMatchObject({ recorded: 2, duplicate: 0, refused: 2, refusals });
    const second = await operator.run(`movements record --file ${file} --json`);
    expect(JSON.parse(second.out)).toMatchObject({ recorded: 0, duplicate: 2, refused: 2 });
  });
});

test('commands list and show collections, and receive them by codes as the sheet prints them', async () => {
  const loggi_keys = await newPackages(customer, 3);
  const list = must(await customer.rest.POST('/api/v1/collections', { body: { loggi_keys } }));
  expect((await operator.run(`collections list --state open --user ${customer.email}`)).out).toContain(list.code);
  expect((await operator.run(`collections show ${list.code}`)).out).toContain(list.packages[0]?.tracking_code);
  const [first = '', second = ''] = list.packages.map(({ tracking_code: code }) => code);
  const printed = first.replace(/.{4}(?=.)/g, '$& ');
  const receive = ['collections', 'receive', list.code, '--scanned', `${printed},${second},378900000000000000`];
  const { out } = await operator.run(receive);
  expect(out).toMatch(/extra +378900000000000000/);
  expect(out).toMatch(/collected[\s\S]*collected[\s\S]*missing/);
  expect((await operator.run(['collections', 'receive', list.code])).err).toContain('CONFLICT');
  const both = [...receive, '--missing', second];
  expect(await operator.run(both)).toMatchObject({ code: 2 });
});

test('commands create, list, update, test, disable, replay and delete endpoints', async () => {
  const address = 'https://127.0.0.1:8443/hook';
  const create = `endpoints create ${address} --user ${customer.id} --username malote --password-stdin`;
  const signing_secret = expect.stringMatching(/^whsec_/);
  expect(await operator.json(create, 's3cr3t')).toMatchObject({ endpoint: { url: address }, signing_secret });
  expect((await operator.run(`endpoints list --user ${customer.id}`)).out).toContain(address);
  const { data } = await service.operator.operator.GET('/operator/v1/webhook-endpoints');
  const id = data?.data[0]?.id ?? '';
  expect(await operator.json(`endpoints update ${id} --lanes 4`)).toMatchObject({ url: address, lanes: 4 });
  const queued = await operator.json(`endpoints test ${id}`);
  expect(queued).toMatchObject({ kind: 'test', state: 'waiting' });
  expect(await operator.json(`endpoints attempts ${id}`)).toMatchObject({ data: [] });
  expect(await operator.json(`endpoints replay ${id} --dead-letters`)).toEqual({ queued: 0 });
  for (const whose of [id, `--user ${customer.id}`, '--all'])
    expect(await operator.json(`endpoints send-now ${whose}`)).toMatchObject({ bodies: 0, more: false });
  expect(await operator.json(`endpoints show ${id}`)).toMatchObject({ replay_count: 1, dead_letter_count: 0 });
  const keyPair = { public_key: expect.stringMatching(/^whpk_/) };
  expect(await operator.json(`endpoints rotate-key-pair ${id}`)).toMatchObject(keyPair);
  expect(await operator.json(`endpoints disable ${id}`)).toMatchObject({ state: 'disabled' });
  await newPackage(customer);
  expect(await operator.json(`endpoints enable ${id}`)).toMatchObject({ state: 'active', catch_up_count: 1 });
  await operator.json(`endpoints disable ${id}`);
  const left = { state: 'active', catch_up_count: 0 };
  expect(await operator.json(`endpoints enable ${id} --no-catch-up`)).toMatchObject(left);
  const range = `--from 2026-01-01T00:00:00Z --to ${soon(60_000)}`;
  expect(await operator.json(`endpoints replay ${id} ${range}`)).toEqual({ queued: 0, catch_up_count: 1 });
  await operator.json(`endpoints disable ${id}`);
  expect(await operator.run(`endpoints test ${id}`)).toMatchObject(saying('CONFLICT'));
  expect((await operator.run(`endpoints delete ${id}`)).code).toBe(0);
  expect((await operator.run(`endpoints show ${id}`)).code).toBe(1);
});

test('commands list each delivery of an endpoint once, with its latest attempt', async () => {
  const address = 'https://127.0.0.1:8443/tried';
  const create = `endpoints create ${address} --user ${customer.email} --username malote --password-stdin`;
  const { endpoint } = Object(await operator.json(create, 's3cr3t'));
  const [first, second] = [newId(), newId()];
  const attempt = (webhook_id: string, number: number) => ({
    ...{ webhook_id, number, endpoint_id: endpoint.id, replay: false, lease_lost: false },
    ...{ attempted_at: new Date(), duration_ms: 5, outcome: 'no_answer' as const, error: 'none' },
  });
  const attempts = [attempt(first, 1), attempt(second, 1), attempt(first, 2)];
  await service.db.insertInto('webhook_attempts').values(attempts).execute();
  expect(await operator.json(`deliveries list ${endpoint.id}`)).toMatchObject({
    data: [
      { webhook_id: first, number: 2 },
      { webhook_id: second, number: 1 },
    ],
    pagination: { total_items: 2 },
  });
});
