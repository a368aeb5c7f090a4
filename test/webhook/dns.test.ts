import { afterAll, afterEach, expect, test } from '@jest/globals';
import { type AddressRules, addressRules } from '../../src/endpoints/addresses.js';
import { checkDestination } from '../../src/endpoints/destination.js';
import { createHttpClient, type SendResult } from '../../src/webhook/http-client.js';
import { createNames } from '../../src/webhook/lookup.js';
import { startNameServer } from '../support/name-server.js';
import { startReceiver } from '../support/receiver.js';
import { authority, rulesFor } from './support.js';

const HOST = 'hooks.example.com';
const names = await startNameServer();
const receiver = await startReceiver({ authority, names: [HOST, '127.0.0.1'] });
afterEach(() => names.zone.clear());
afterAll(async () => {
  names.close();
  await receiver.close();
});

async function send(addresses: AddressRules, name = HOST): Promise<SendResult> {
  const { lookup } = createNames(addresses, { resolver: names.resolver, fallbackDuration: 0 });
  const limits = { deadlineMs: 60_000, connectMs: 60_000, idleConnections: 1 };
  const client = createHttpClient({ addresses, extraCa: authority.cert, lookup, ...limits });
  const url = `https://${name}:${receiver.port}/hook`;
  const sent = await client.send({ url, headers: {}, body: Buffer.from('{}') }, new AbortController().signal);
  client.close();
  return sent;
}

const strict = () => addressRules([], [receiver.port]);
const refusal = { outcome: { kind: 'not_sent', error: expect.stringContaining('not a public address') } };

test('a name of an allowed address is connected to that address', async () => {
  names.zone.set(HOST, [['127.0.0.1']]);
  expect(await send(rulesFor([receiver]))).toMatchObject({ outcome: { kind: 'answered', status: 200 } });
});

test.each([
  ['leads to the inner network', ['127.0.0.1']],
  ['has one inner address among public ones', ['8.8.8.8', '127.0.0.1']],
])('a name that %s is refused at the connection', async (_, addresses) => {
  const before = receiver.connections();
  names.zone.set(HOST, [addresses]);
  expect(await send(strict())).toMatchObject(refusal);
  expect(receiver.connections()).toBe(before);
});

test('a name that was public when it was registered is refused when it now leads to the inner network', async () => {
  const before = receiver.connections();
  names.zone.set(HOST, [['8.8.8.8'], ['127.0.0.1']]);
  const resolve = (name: string) => names.resolver.resolve4(name);
  const url = `https://${HOST}:${receiver.port}/hook`;
  await checkDestination({ addresses: strict(), resolve }, { url, username: 'a', password: 'b' });
  expect(await send(strict())).toMatchObject(refusal);
  expect(receiver.connections()).toBe(before);
});

test('nothing is sent to a name that does not exist', async () => {
  const outcome = { kind: 'not_sent', error: expect.stringContaining('ENOTFOUND') };
  expect(await send(strict(), 'nowhere.example.com')).toMatchObject({ outcome });
});

test('literal inner addresses are refused before any connection is made', async () => {
  const before = receiver.connections();
  const spellings = '127.0.0.1 127.1 0x7f.1 2130706433 [::ffff:127.0.0.1] [::127.0.0.1] [::1] localhost';
  for (const name of spellings.split(' ')) {
    expect([name, (await send(strict(), name)).outcome.kind]).toEqual([name, 'not_sent']);
  }
  expect(receiver.connections()).toBe(before);
});
