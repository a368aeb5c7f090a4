import { randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { cleanPicture } from '../../src/files/picture-file.js';
import { bodyOf, movement, newPackage, newPackages, placeOrder, soon, withPin } from '../operator/fixtures.js';
import { endpointBody, orderBody } from '../support/bodies.js';
import { jpeg, png } from '../support/pictures.js';
import { waitFor } from '../support/receiver.js';
import { sharedService } from '../support/services.js';
import { operatorOf, saying } from './malote.js';

const service = await sharedService();
const customer = await service.customer();
const operator = operatorOf(service);

async function file(name: string, content: Buffer | string): Promise<string> {
  const path = join(operator.folder, name);
  await writeFile(path, content);
  return path;
}

const storedAs = async (picture: Buffer) => (await cleanPicture(picture, new AbortController().signal)).bytes;

test('a delivery is recorded with its proof, photo and signature, which are shown and written to a folder', async () => {
  const [key = '', other = ''] = await newPackages(customer, 2);
  const photo = await file('photo.JPG', jpeg());
  const deliver = ['movements', 'record', '--package', key, '--status', '5', '--at', soon(1000)];
  const facts = ['--proof-name', 'Marta Lima', '--proof-document', '482X', '--position', '-23.5, -46.6, 8'];
  const pictures = ['--proof-photo', photo, '--proof-signature', await file('signature.png', png())];
  expect(await operator.json([...deliver, ...facts, ...pictures])).toMatchObject({ result: 'recorded' });
  const shown = await operator.run(`packages proof ${key} --output ${operator.folder}`);
  expect(shown.out).toMatch(/recipient_name +Marta Lima[\s\S]*position\.accuracy +8/);
  const written = ['photo.jpg', 'signature.png'].map((name) => join(operator.folder, `${key}-${name}`));
  expect(shown.err).toBe(written.map((name) => `Written: ${name}\n`).join(''));
  const stored = [await storedAs(jpeg()), await storedAs(png())];
  expect(await Promise.all(written.map((name) => readFile(name)))).toEqual(stored);

  const [copy, again] = [join(operator.folder, 'copy'), join(operator.folder, 'again')];
  expect((await operator.run(`packages photo ${key} --output ${copy}`)).code).toBe(0);
  expect((await operator.run(`packages signature ${key} --output ${again}`)).code).toBe(0);
  expect([await readFile(copy), await readFile(again)]).toEqual(stored);
  for (const kind of ['photo', 'signature'])
    expect((await operator.run(`packages ${kind} ${other} --output ${copy}`)).err).toContain('NOT_FOUND');
  expect((await operator.run(`packages put-photo ${key} ${photo}`)).code).toBe(0);
  expect((await operator.run(`packages put-signature ${key} ${photo}`)).err).toContain('CONFLICT');
  expect(await operator.run(`packages put-photo ${key} photo.gif`)).toMatchObject({ code: 2 });
  expect(await operator.run(`packages put-photo ${key} nowhere.png`)).toMatchObject({ code: 2 });
});

test('a file of movements can have proofs', async () => {
  const [one = '', two = '', three = ''] = await newPackages(customer, 3);
  const heading = 'loggi_key,status_code,happened_at,proof.recipient_name,proof.position';
  const rows = [
    `${one},5,${soon(1000)},Marta Lima,"-23.5,-46.6"`,
    `${two},5,${soon(1000)},,"-23.5"`,
    `${three},5,${soon(1000)},,"-23.5,x"`,
  ];
  const path = await file('movements.csv', [heading, ...rows].join('\n'));
  const { code, out } = await operator.run(`movements record --file ${path} --json`);
  expect([code, JSON.parse(out)]).toEqual([1, expect.objectContaining({ recorded: 1, refused: 2 })]);
  const position = { latitude: -23.5, longitude: -46.6 };
  expect(await operator.json(`packages proof ${one}`)).toMatchObject({ recipient_name: 'Marta Lima', position });
});

test('commands send a PIN, show its state, and override it with a reason', async () => {
  const { key, pin, wrong } = await withPin(customer);
  const deliver = ['movements', 'record', '--package', key, '--status', '5', '--at', soon(1000)];
  const guessed = await operator.run([...deliver, '--pin', wrong]);
  expect(guessed).toMatchObject({ code: 1, out: expect.stringContaining('pin') });
  expect(await operator.json(`packages pin ${key}`)).toMatchObject({ state: 'waiting', wrong_tries: 1 });
  expect((await operator.run(`packages override-pin ${key}`)).code).toBe(2);
  const override = ['packages', 'override-pin', key, '--reason', 'Mostrou um documento.'];
  expect(await operator.json(override)).toMatchObject({ state: 'overridden' });
  expect((await operator.run([...deliver, '--pin', pin])).code).toBe(0);
});

test('labels of an order or a package are written to a file or to standard output', async () => {
  const order = await placeOrder(customer, 2);
  const path = join(operator.folder, 'labels.pdf');
  const written = await operator.run(`labels --order ${order.id} --layout a4 --output ${path}`);
  expect(written).toMatchObject(saying(/labels\.pdf: \d+ bytes\.\n$/, 0));
  expect((await readFile(path)).subarray(0, 5).toString()).toBe('%PDF-');
  const key = order.packages[0]?.loggi_key ?? '';
  const zpl = await operator.run(`labels --package ${key} --format zpl --output -`);
  expect(zpl).toMatchObject({ code: 0, out: expect.stringMatching(/^\^XA[\s\S]*\^XZ\n$/) });
});

test('labels of several orders are written to one file, with orders named in any way', async () => {
  const [first, second] = [await placeOrder(customer), await placeOrder(customer, 2)];
  const external_id = randomUUID();
  const named = await bodyOf(customer.rest.POST('/api/v1/orders', { body: { ...orderBody(), external_id } }));
  const ids = [first.id, second.id, external_id].flatMap((id) => ['--order', id]);
  const { out } = await operator.run(['labels', ...ids, '--format', 'zpl', '--output', '-']);
  expect(out.match(/\^XA/g)).toHaveLength(4);
  for (const { packages } of [first, second, named]) for (const { barcode } of packages) expect(out).toContain(barcode);
});

test('the labels command explains a mistake', async () => {
  const order = await placeOrder(customer);
  const [wanted, key] = [['labels', '--order', order.id], order.packages[0]?.loggi_key ?? ''];
  const run = (...args: string[]) => operator.run([...args, '--output', '-']);
  expect(await run(...wanted, '--package', key)).toMatchObject(saying('either', 2));
  expect(await run('labels')).toMatchObject(saying('either', 2));
  expect(await run(...wanted, '--format', 'zpl', '--layout', 'a4')).toMatchObject(saying('layout'));
  const nowhere = join(operator.folder, 'missing', 'labels.pdf');
  expect(await operator.run([...wanted, '--output', nowhere])).toMatchObject(saying('cannot be written', 2));
});

async function newEndpoint(): Promise<string> {
  const body = endpointBody(customer.id);
  return (await bodyOf(service.operator.operator.POST('/operator/v1/webhook-endpoints', { body }))).endpoint.id;
}

const replay = (id: string) => operator.watch(`endpoints replay ${id} --dead-letters --wait`);
const testBody = (id: string) =>
  bodyOf(service.operator.operator.POST('/operator/v1/webhook-endpoints/{id}/test', { params: { path: { id } } }));

test('a replay with --wait draws a bar, and ends when nothing waits', async () => {
  const id = await newEndpoint();
  const sent: string[] = [];
  for (let request = 0; request < 4; request += 1) sent.push((await testBody(id)).webhook_id);
  const remove = (ids: readonly string[]) =>
    service.db.deleteFrom('webhook_requests').where('webhook_id', 'in', ids).execute();
  const { code, drawn } = replay(id);
  await waitFor(() => drawn().includes(' 0%'), 'the bar');
  await remove(sent.slice(0, 1));
  await waitFor(() => drawn().includes(' 25%  3 wait'), 'the bar');
  await remove(sent);
  expect(await code).toBe(0);
});

test('a replay with --wait fails when the endpoint is disabled', async () => {
  const id = await newEndpoint();
  await testBody(id);
  const { code, drawn } = replay(id);
  await waitFor(() => drawn().includes(' 0%'), 'the bar');
  await service.operator.operator.POST('/operator/v1/webhook-endpoints/{id}/disable', { params: { path: { id } } });
  expect(await code).toBe(1);
  expect(drawn()).toContain('The endpoint is disabled');
});

test('the import of a file draws a bar; a missing file is wrong usage', async () => {
  const line = JSON.stringify(movement(await newPackage(customer)));
  const path = await file('movements.ndjson', `${line}\n`.repeat(1_000));
  const { code, drawn } = operator.watch(`movements record --file ${path}`);
  await waitFor(() => /\d% {2}\d+ movements/.test(drawn()), 'the bar');
  expect(await code).toBe(0);
  expect(await operator.watch(['movements', 'record', '--file', join(operator.folder, 'none.csv')]).code).toBe(2);
});
