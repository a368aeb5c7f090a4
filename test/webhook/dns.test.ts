import { createSocket } from 'node:dgram';
import { promises as dns } from 'node:dns';
import { once } from 'node:events';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { type AddressRules, addressRules } from '../../src/deliveries/addresses.js';
import { checkDestination } from '../../src/deliveries/destination.js';
import { checkedLookup } from '../../src/webhook/lookup.js';
import { createHttpSender, type Sent } from '../../src/webhook/sender.js';
import { type Authority, createAuthority, type Receiver, startReceiver } from '../support/receiver.js';
import { rulesFor } from './support.js';

/** Answers to be given for a name, in turn; the last one stays. */
const zone = new Map<string, string[][]>();
const server = createSocket('udp4');
const host = 'hooks.example.com';
let authority: Authority;
let receiver: Receiver;
let resolver: dns.Resolver;

beforeAll(async () => {
  server.on('message', (query, { port }) => server.send(answerTo(query), port, '127.0.0.1'));
  server.bind(0, '127.0.0.1');
  await once(server, 'listening');
  resolver = new dns.Resolver();
  resolver.setServers([`127.0.0.1:${server.address().port}`]);
  authority = await createAuthority();
  receiver = await startReceiver({ authority, names: [host, '127.0.0.1'] });
});
afterEach(() => zone.clear());
afterAll(async () => {
  server.close();
  await receiver.close();
});

/** A DNS answer (RFC 1035) with the zone's next IPv4 addresses, to live for no time; IPv6 is always empty. */
function answerTo(query: Buffer): Buffer {
  const labels: string[] = [];
  let at = 12;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const question = query.subarray(12, at + 5);
  const turns = query.readUInt16BE(at + 1) === 1 ? (zone.get(labels.join('.')) ?? []) : [];
  const addresses = (turns.length > 1 ? turns.shift() : turns[0]) ?? [];
  const head = Buffer.from(query.subarray(0, 12));
  head.writeUInt16BE(0x8180, 2);
  head.writeUInt16BE(addresses.length, 6);
  head.writeUInt32BE(0, 8);
  const records = addresses.map((address) =>
    Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, ...address.split('.').map(Number)]),
  );
  return Buffer.concat([head, question, ...records]);
}

async function send(addresses: AddressRules, name = host): Promise<Sent> {
  const lookup = checkedLookup(addresses, { resolver, fallbackDuration: 0 });
  const sender = createHttpSender({
    addresses,
    extraCa: authority.cert,
    deadlineMs: 2_000,
    connectMs: 1_000,
    idleConnections: 1,
    lookup,
  });
  const url = `https://${name}:${receiver.port}/hook`;
  const sent = await sender.send({ url, headers: {}, body: Buffer.from('{}') }, new AbortController().signal);
  sender.close();
  return sent;
}

const strict = () => addressRules([], [receiver.port]);
const refused = { outcome: { kind: 'not_sent', error: expect.stringContaining('not a public address') } };

test('a name that leads to an allowed address is dialled there', async () => {
  zone.set(host, [['127.0.0.1']]);
  expect(await send(rulesFor([receiver]))).toMatchObject({ outcome: { kind: 'answered', status: 200 } });
});

test('a name that leads inside is refused at the connection', async () => {
  const before = receiver.connections();
  zone.set(host, [['127.0.0.1']]);
  expect(await send(strict())).toMatchObject(refused);
  expect(receiver.connections()).toBe(before);
});

test('one inner address among public ones refuses the name', async () => {
  zone.set(host, [['8.8.8.8', '127.0.0.1']]);
  expect(await send(strict())).toMatchObject(refused);
});

test('a name that led outside when it was registered and leads inside now is refused', async () => {
  const before = receiver.connections();
  zone.set(host, [['8.8.8.8'], ['127.0.0.1']]);
  const resolve = (name: string) => resolver.resolve4(name);
  const url = `https://${host}:${receiver.port}/hook`;
  await checkDestination({ addresses: strict(), resolve }, { url, username: 'a', password: 'b' });
  expect(await send(strict())).toMatchObject(refused);
  expect(receiver.connections()).toBe(before);
});

test('a name that does not exist is not sent to', async () => {
  expect(await send(strict(), 'nowhere.example.com')).toMatchObject({
    outcome: { kind: 'not_sent', error: expect.stringContaining('ENOTFOUND') },
  });
});

test('literal inner addresses are refused before anything is dialled', async () => {
  const before = receiver.connections();
  for (const name of [
    '127.0.0.1',
    '127.1',
    '0x7f.1',
    '2130706433',
    '[::ffff:127.0.0.1]',
    '[::127.0.0.1]',
    '[::1]',
    'localhost',
  ]) {
    expect([name, (await send(strict(), name)).outcome.kind]).toEqual([name, 'not_sent']);
  }
  expect(receiver.connections()).toBe(before);
});
