import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, test } from '@jest/globals';
import tracking from '../../contracts/examples/tracking-payload.json' with { type: 'json' };
import { certificateIn } from '../../src/cli/local/listen/certificate.js';
import {
  type Arrival,
  type Receiver,
  type ReceiverOptions,
  startReceiver,
} from '../../src/cli/local/listen/receiver.js';
import { newKeyPair } from '../../src/endpoints/key-pairs.js';
import { bodyOf, movement, newPackage, resultsOf } from '../operator/fixtures.js';
import { type Destination, deliver, type Forgery } from '../support/deliver.js';
import { freePort } from '../support/port.js';
import { sourceOf } from '../support/processes/child.js';
import { waitFor } from '../support/receiver.js';
import { ownService } from '../support/services.js';
import { credentials, malote } from './malote.js';

const secret = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;
const basic = { username: 'malote', password: 'p4ss' };
const port = await freePort();

const operator = malote(credentials);
const certificate = await certificateIn(join(operator.folder, 'config', 'malote', 'listen'));

const body = JSON.stringify(tracking);
const known = { ca: certificate.cert, ...basic, secret };
const toReceiver = (to: number, other: Partial<Destination> = {}) => ({ port: to, ...known, ...other });
const otherSecret = `whsec_${Buffer.alloc(32, 6).toString('base64')}`;
const isListening = async () => (await deliver(toReceiver(port), body, { method: 'PUT' }).catch(() => 0)) === 405;
const listening = () => waitFor(isListening, 'the listener');

describe('the receiver', () => {
  let receiver: Receiver;
  const arrivals: Arrival[] = [];
  afterEach(async () => {
    arrivals.length = 0;
    await receiver.close();
  });
  const start = async (options: Partial<ReceiverOptions> = {}) => {
    const onArrival = (arrival: Arrival) => void arrivals.push(arrival);
    receiver = await startReceiver({ ...certificate, port: 0, secret, ...basic, onArrival, ...options });
    return receiver.port;
  };

  const { publicKey, privateKey } = newKeyPair();
  const byKey = { secret: undefined, publicKey };
  const none = ['No signature matches the public key'];
  const far = ['Message timestamp too far off'];

  test.each<[string, Partial<ReceiverOptions>, Partial<Destination>, Forgery, string[]]>([
    ['a delivery', {}, {}, {}, []],
    ['wrong Basic', {}, { password: 'other' }, {}, ['wrong Basic credentials']],
    ['another secret', {}, { secret: otherSecret }, {}, ['No matching signature found']],
    ['an altered body', {}, {}, { body: `${body} ` }, ['No matching signature found']],
    ['an old one', {}, {}, { age: 320 }, ['Message timestamp too old']],
    ['one of the future', {}, {}, { age: -320 }, ['Message timestamp too new']],
    ['a delivery, by a public key alone', byKey, { privateKey }, {}, []],
    ['one by a secret, by a public key alone', byKey, {}, {}, none],
    ['another private key', byKey, { privateKey: newKeyPair().privateKey }, {}, none],
    ['an altered body, by a public key alone', byKey, { privateKey }, { body: `${body} ` }, none],
    ['an old one, by a public key alone', byKey, { privateKey }, { age: 320 }, far],
    ['one of the future, by a public key alone', byKey, { privateKey }, { age: -320 }, far],
  ])('%s', async (_what, options, other, forgery, faults) => {
    const status = faults.length === 0 ? 200 : 401;
    expect(await deliver(toReceiver(await start(options), other), body, forgery)).toBe(status);
    expect(arrivals).toMatchObject([{ webhookId: 'one', faults, duplicate: false }]);
  });

  test.each([
    ['{"packages":[]}', 'data/packages must NOT have fewer than 1 items'],
    ['hello', 'data must be object'],
  ])('says why a body is not a payload: %s', async (other, fault) => {
    expect(await deliver(toReceiver(await start()), other)).toBe(200);
    expect(arrivals).toMatchObject([{ payload: undefined, faults: [fault] }]);
  });

  test('compares with earlier updates, but not with forged ones', async () => {
    const to = await start();
    for (const password of ['other', 'p4ss', 'p4ss']) await deliver(toReceiver(to, { password }), body);
    await deliver(toReceiver(to), body, { id: 'two' });
    expect(arrivals.map(({ duplicate }) => duplicate)).toEqual([false, false, true, false]);
  });

  test('checks password and signature only if it knows them, and the signature from when it has the secret', async () => {
    receiver = await startReceiver({ ...certificate, port: 0, onArrival: (arrival) => void arrivals.push(arrival) });
    expect(await deliver(toReceiver(receiver.port, { password: 'any' }), body)).toBe(200);
    receiver.expectSignature(otherSecret);
    expect(await deliver(toReceiver(receiver.port), body)).toBe(401);
  });

  test.each<[ReceiverOptions['answer'], number]>([
    [500, 500],
    [410, 410],
    ['hang', 0],
  ])('fails as configured: %s', async (answer, status) => {
    expect(await deliver(toReceiver(await start({ answer: answer ?? 200 })), body)).toBe(status);
    expect(arrivals).toHaveLength(1);
  });

  test('accepts only POST, and no body above a MiB', async () => {
    const to = toReceiver(await start());
    expect(await deliver(to, body, { method: 'PUT' })).toBe(405);
    expect(await deliver(to, ' '.repeat(1_100_000)).catch(() => 413)).toBe(413);
    expect(arrivals).toEqual([]);
  });
});

const NETWORKS = '127.0.0.0/8,::1/128';
const trust = { WEBHOOK_EXTRA_CA: certificate.path, WEBHOOK_ALLOW_CIDRS: NETWORKS, WEBHOOK_PORTS: String(port) };
const service = await ownService(trust, {});
const customer = await service.customer();
const endpoint = { user_id: customer.id, url: `https://localhost:${port}/tracking`, ...basic };
const registered = await bodyOf(service.operator.operator.POST('/operator/v1/webhook-endpoints', { body: endpoint }));

describe('malote listen', () => {
  const args = ['listen', '--port', String(port), '--count', '2'];

  test('checks and prints deliveries of the service, with a line for each package', async () => {
    const keys = ['--secret', registered.signing_secret, '--public-key', registered.endpoint.public_key ?? ''];
    const running = operator.run([...args, '--password-stdin', ...keys], `${basic.password}\n`);
    await listening();
    const key = await newPackage(customer);
    const attempts = service.db.selectFrom('webhook_attempts').select('id');
    await waitFor(async () => (await attempts.execute()).length > 0, 'a delivery');
    await resultsOf(service.operator, movement(key, { status_code: 14, location: { city: 'Santos', state: 'SP' } }));
    const result = await running;
    expect(result.err).toContain(`WEBHOOK_EXTRA_CA=${certificate.path} WEBHOOK_ALLOW_CIDRS=127.0.0.0/8,::1/128`);
    const create = `malote endpoints create https://localhost:${port}/tracking --user <user> --username malote`;
    expect(result.err).toContain(create);
    expect(result.out).toMatch(/ 1 Adicionado, São Paulo\/SP, 0 earlier\n.* 14 Coletado, Santos\/SP, 1 earlier\n$/);
    expect(result.code).toBe(0);
  });

  test('prints JSON for scripts, and exits with 1 when it found a fault', async () => {
    const own = malote({ WEBHOOK_PASSWORD: 'other', WEBHOOK_SECRET: secret });
    const { path } = certificate;
    const running = own.run([...args, '--json', '--cert', path, '--key', path.replace('pem', 'key')]);
    await listening();
    expect(await deliver(toReceiver(port, { password: 'other' }), body)).toBe(200);
    expect(await deliver(toReceiver(port), body, { id: 'two' })).toBe(401);
    const result = await running;
    const lines = result.out.trimEnd().split('\n');
    const [good, forged] = lines.map((line) => JSON.parse(line));
    expect(good).toMatchObject({ webhook_id: 'one', faults: [], duplicate: false, package: tracking.packages[0] });
    expect(forged).toMatchObject({ webhook_id: 'two', faults: ['wrong Basic credentials'] });
    expect([result.code, result.err]).toEqual([1, 'malote: Not as they should be: 1 requests.\n']);
  });

  test.each([
    [['--secret', 'whsec_short'], 'The secret is not valid'],
    [['--public-key', 'whpk_short'], 'The public key is not valid'],
    [['--cert', '/nowhere'], 'Give both --cert and --key'],
    [['--cert', '/nowhere', '--key', '/nowhere'], 'The certificate cannot be read'],
    [['--fail', '302'], "argument '302' is invalid"],
    [['--port', '70000'], 'Cannot listen at port 70000'],
  ])('%s is wrong usage', async (wrong, message) => {
    expect(await operator.run(['listen', ...wrong])).toMatchObject({ code: 2, err: expect.stringContaining(message) });
  });

  test('ends at Ctrl-C', async () => {
    const child: ChildProcess = spawn(process.execPath, [...sourceOf('malote'), 'listen', '--port', '0'], {
      env: { PATH: process.env['PATH'], HOME: operator.folder, XDG_CONFIG_HOME: join(operator.folder, 'config') },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    if (!child.stderr) throw new Error('no pipe');
    const errorText = text(child.stderr);
    child.stderr.once('data', () => child.kill('SIGINT'));
    const [code] = await once(child, 'exit');
    const said = /^Listening at https:\/\/localhost:\d+\/tracking; checks the schema, no Basic/;
    expect([code, await errorText]).toEqual([0, expect.stringMatching(said)]);
  });
});
