import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import tracking from '../../../contracts/examples/tracking-payload.json' with { type: 'json' };
import type { TrackingEvent } from '../../../generated/tracking-webhook.js';
import { type Certificate, certificateIn } from '../../../src/cli/local/listen/certificate.js';
import { type Arrival, startReceiver } from '../../../src/cli/local/listen/receiver.js';
import { addressRules } from '../../../src/endpoints/addresses.js';
import { verifyReceiver } from '../../../src/webhook/receiver-checks/verify.js';
import { age } from '../../domain/orders-fixtures.js';
import { bodyOf, movement, newPackages, placeOrder, resultsOf, soon } from '../../operator/fixtures.js';
import { type Destination, deliver } from '../../support/deliver.js';
import { ownFolder } from '../../support/folder.js';
import { freePort } from '../../support/port.js';
import { waitFor } from '../../support/receiver.js';
import { type Service, startService } from '../../support/service.js';
import { describeWith } from '../../support/tools.js';
import { drained } from '../../webhook/support.js';

// The example receivers for integrators get deliveries of the real service.

const basic = { username: 'malote', password: 'p4ss: with a colon' };
/** The first compilation of Go's library on a machine takes long. */
const SLOWEST_COMPILER_MS = 180_000;
const FOLDER = 'contracts/examples/receivers';
const ports = await Promise.all(Array.from({ length: 5 }, freePort));

const directory = await ownFolder();
let certificate: Certificate;
let service: Service;
beforeAll(async () => {
  certificate = await certificateIn(directory);
  service = await serve();
  const status = { code: 99, high_level_status: 'Retido na alfândega', description: 'Aguarda.', final: false };
  const body = { ...status, stage: 'processing' as const };
  await bodyOf(service.operator.operator.POST('/operator/v1/package-statuses', { body }));
});
afterAll(() => service.stop());

const serve = (settings: Record<string, string> = {}) =>
  startService({
    WEBHOOK_EXTRA_CA: certificate.path,
    WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8,::1/128',
    WEBHOOK_PORTS: ports.join(','),
    ...settings,
  });

/** Registers a customer whose tracking updates go to a port of this machine. */
async function register({ customer: newCustomer, operator: { operator } }: Service, port: number) {
  const customer = await newCustomer();
  const body = { user_id: customer.id, url: `https://localhost:${port}/tracking`, ...basic };
  const created = await bodyOf(operator.POST('/operator/v1/webhook-endpoints', { body }));
  return { customer, id: created.endpoint.id, secret: created.signing_secret };
}

type Running = Awaited<ReturnType<typeof run>>;

/** Runs a program until it listens. Resolves to it and to its later lines. */
async function run([command = '', ...args]: readonly string[], { port, secret }: Destination) {
  const settings = {
    PATH: process.env['PATH'],
    PORT: String(port),
    TLS_CERT: certificate.path,
    TLS_KEY: certificate.path.replace('.pem', '.key'),
    WEBHOOK_USERNAME: basic.username,
    WEBHOOK_PASSWORD: basic.password,
    WEBHOOK_SECRET: secret,
  };
  const child = spawn(command, args, { env: settings, stdio: ['ignore', 'pipe', 'pipe'] });
  const lines: string[] = [];
  const complaints: string[] = [];
  createInterface(child.stderr).on('line', (line) => complaints.push(line));
  const output = createInterface(child.stdout);
  const [first] = await Promise.race([once(output, 'line'), once(child, 'exit')]);
  if (first !== `listening at ${port}`) throw new Error(complaints.join('\n'));
  output.on('line', (line) => lines.push(line));
  return { child, lines };
}

/** The number of acknowledged attempts to an endpoint. Throws if an attempt ended otherwise. */
async function acknowledged({ db }: Service, endpointId: string): Promise<number> {
  const attempts = await db.selectFrom('webhook_attempts').selectAll().where('endpoint_id', '=', endpointId).execute();
  const other = attempts.find(({ status_code }) => status_code !== 200);
  if (other) throw new Error(`${other.outcome} ${other.status_code} ${other.error}`);
  return attempts.length;
}

// Warnings on this machine: the port is unusual, and the receiver may be slow.
const ofThisMachine = ['address', 'answer-time'];

const linesOf = (running: Running | undefined): string[] => running?.lines ?? [];

/** `prepare` resolves to the program and its arguments. */
function accepts(port: number, prepare: () => Promise<readonly string[]>): void {
  let running: Running | undefined;
  let to: Destination;
  let registered: Awaited<ReturnType<typeof register>>;

  beforeAll(async () => {
    registered = await register(service, port);
    to = { port, ca: certificate.cert, secret: registered.secret, ...basic };
    running = await run(await prepare(), to);
  }, SLOWEST_COMPILER_MS);
  afterAll(() => void running?.child.kill());

  test('every delivery of the service, each once, unknown codes too', async () => {
    const { operator } = service;
    const keys = await newPackages(registered.customer, 2);
    for (const code of [14, 99, 11, 5])
      await resultsOf(operator, ...keys.map((key) => movement(key, { status_code: code })));
    await waitFor(() => linesOf(running).length >= 10, 'ten notifications');
    await drained(service.db);
    const texts = ['1 Adicionado', '14 Coletado', '99 Retido na alfândega', '11 out for delivery', '5 delivered'];
    for (const key of keys)
      expect(linesOf(running).filter((line) => line.startsWith(key))).toEqual(texts.map((text) => `${key} ${text}`));
    const sent = await acknowledged(service, registered.id);
    const params = { path: { id: registered.id } };
    const range = { from: soon(-60_000), to: soon(60_000) };
    const replay = operator.operator.POST('/operator/v1/webhook-endpoints/{id}/replay', { params, body: range });
    expect(await bodyOf(replay)).toEqual({ queued: sent });
    await waitFor(async () => (await acknowledged(service, registered.id)) === 2 * sent, 'the replay');
    expect(linesOf(running)).toHaveLength(10);
  });

  test('a delivery to the recipient that is reported late as the end, and no older body after it', async () => {
    const { operator, db } = service;
    const { id, packages } = await placeOrder(registered.customer);
    const key = packages[0]?.loggi_key ?? '';
    await age(db, id, 3600);
    await drained(db);
    await resultsOf(operator, movement(key, { status_code: 11 }));
    await drained(db);
    await resultsOf(operator, movement(key, { status_code: 5, happened_at: soon(-600_000) }));
    await drained(db);
    const ownLines = () => linesOf(running).filter((line) => line.startsWith(key));
    await waitFor(() => ownLines().length >= 3, 'three notifications');
    expect(ownLines()).toEqual([`${key} 1 Adicionado`, `${key} 11 out for delivery`, `${key} 5 delivered`]);
    const bodies = await db.selectFrom('webhook_deliveries').select('body').orderBy('webhook_id').execute();
    const sent = bodies.map(({ body }) => String(body)).filter((body) => body.includes(key));
    const last = JSON.parse(sent.at(-1) ?? '').packages[0];
    expect(last.trackingHistory.map(({ status }: TrackingEvent) => status.code)).toEqual([11, 1]);
    expect(last.status.updatedTime < last.trackingHistory[0].status.updatedTime).toBe(true);
    for (const [at, body] of sent.entries()) expect(await deliver(to, body, { id: `again ${key} ${at}` })).toBe(200);
    await waitFor(() => ownLines().length >= 4, 'the newest body again');
    expect(ownLines().slice(3)).toEqual([`${key} 5 delivered`]);
  });

  test('no delivery that is forged, and a genuine one after all of these', async () => {
    const body = JSON.stringify(tracking);
    const before = linesOf(running).length;
    const forged = [
      deliver({ ...to, username: 'other' }, body),
      deliver({ ...to, password: 'other' }, body),
      deliver({ ...to, secret: `whsec_${Buffer.alloc(32, 6).toString('base64')}` }, body),
      deliver(to, body, { body: `${body} ` }),
      deliver(to, body, { age: 320 }),
      deliver(to, body, { age: -320 }),
    ];
    expect(await Promise.all(forged)).toEqual(forged.map(() => 401));
    for (const id of ['one', 'one', 'two']) expect(await deliver(to, body, { id })).toBe(200);
    await waitFor(() => linesOf(running).length >= before + 2, 'the genuine ones');
    expect(linesOf(running).slice(before)).toEqual(Array(2).fill(`${tracking.packages[0]?.loggiKey} 6 needs you`));
  });

  test('all deliveries of malote verify-receiver', async () => {
    const addresses = addressRules(['127.0.0.0/8', '::1/128'], [port]);
    const { secret, ca: extraCa } = to;
    const verified = { url: `https://localhost:${port}/`, ...basic, secret, addresses, extraCa };
    const results = await verifyReceiver(verified, () => undefined);
    expect(results.filter(({ result, check }) => result !== 'passed' && !ofThisMachine.includes(check))).toEqual([]);
  });
}

describe('receiver.ts accepts', () => {
  accepts(ports[0] ?? 0, async () => [process.execPath, '--import', 'tsx', join(FOLDER, 'receiver.ts')]);
});

describeWith('python', 'receiver.py accepts', (python) => {
  accepts(ports[1] ?? 0, async () => [python, join(FOLDER, 'receiver.py')]);
});

describeWith('go', 'receiver.go accepts', (go) => {
  accepts(ports[2] ?? 0, async () => {
    const program = join(directory, 'receiver');
    const env = { ...process.env, GOTOOLCHAIN: 'local', GOFLAGS: '', GO111MODULE: 'off' };
    await promisify(execFile)(go, ['build', '-o', program, join(FOLDER, 'receiver.go')], { env });
    return [program];
  });
});

describeWith('java', 'Receiver.java accepts', (javac) => {
  accepts(ports[3] ?? 0, async () => [join(dirname(javac), 'java'), join(FOLDER, 'Receiver.java')]);
});

test('a service in sandbox mode sends the whole course of a first order by itself', async () => {
  const sandbox = await serve({ SANDBOX: '1', SANDBOX_PACE_SECONDS: '0' });
  const port = ports[4] ?? 0;
  const arrivals: Arrival[] = [];
  const onArrival = (arrival: Arrival) => void arrivals.push(arrival);
  const { customer, secret } = await register(sandbox, port);
  const receiver = await startReceiver({ ...certificate, port, secret, ...basic, onArrival });
  try {
    const order = await placeOrder(customer);
    const codes = () => arrivals.flatMap(({ payload }) => payload?.packages.map(({ status }) => status.code) ?? []);
    await waitFor(() => [5, 8].includes(codes().at(-1) ?? 0), 'the end of the way');
    expect(codes().slice(0, 4)).toEqual([1, 14, 17, 3]);
    expect(arrivals.flatMap(({ faults }) => faults)).toEqual([]);
    const params = { path: { id: order.id } };
    expect(await bodyOf(customer.rest.GET('/api/v1/orders/{id}', { params }))).toMatchObject({ status: 'completed' });
  } finally {
    await receiver.close();
    await sandbox.stop();
  }
});
