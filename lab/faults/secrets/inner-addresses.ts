import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Socket } from 'node:net';
import { type AddressRules, addressRules } from '../../../src/endpoints/addresses.js';
import { checkDestination } from '../../../src/endpoints/destination.js';
import { createHttpClient, type Send } from '../../../src/webhook/http-client.js';
import { createNames } from '../../../src/webhook/lookup.js';
import { startNameServer } from '../../../test/support/name-server.js';
import { expectThat } from '../../../test/support/processes/judgement.js';
import { choose, type Random } from '../../../test/support/random.js';
import { type Authority, createAuthority, startReceiver } from '../../../test/support/receiver.js';
import type { Fault } from '../fault.js';

/**
 * Hosts of URLs inside the network: this machine, the local network, a cloud's metadata. Names resolve to 127.0.0.1.
 */
const spellings: readonly string[] = [
  '127.0.0.1',
  '127.0.0.1.',
  '127.1',
  '127.0.1',
  '127.255.255.254',
  '0.0.0.0',
  '0',
  '2130706433',
  '0x7f000001',
  '0x7f.1',
  '0x7f.0x0.0x0.0x1',
  '0177.0.0.1',
  '0177.1',
  '017700000001',
  '127.0x0.0.1',
  '%31%32%37.0.0.1',
  '１２７.0.0.1',
  '①②⑦.⓪.⓪.①',
  '127。0。0。1',
  '[::]',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[::127.0.0.1]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[0:0:0:0:0:ffff:127.0.0.1]',
  '[::ffff:0:127.0.0.1]',
  '[64:ff9b::127.0.0.1]',
  '[64:ff9b:1::10.0.0.1]',
  '[2002:7f00:1::]',
  '[2001:0:7f00:1::]',
  '[fe80::1]',
  '[fc00::1]',
  '[fd12:3456:789a::1]',
  '[fec0::1]',
  '[ff02::1]',
  '[fe80::5efe:127.0.0.1]',
  '[2001:db8::1]',
  '10.0.0.1',
  '10.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.0.1',
  '192.168.1',
  '3232235521',
  '100.64.0.1',
  '169.254.169.254',
  '0xa9fea9fe',
  '2852039166',
  '168.63.129.16',
  '192.0.0.192',
  '198.18.0.1',
  '224.0.0.1',
  '255.255.255.255',
  'localhost',
  'LOCALHOST',
  'localhost.',
  'inner.localhost',
  'metadata.google.internal',
  'printer.local',
  'router.home.arpa',
  'inside.example.com',
];

const NAME = 'hooks.example.com';
const INSIDE = '127.0.0.1';
// An allowed name that represents an outside address, so that nothing leaves this machine.
const OUTSIDE = '127.0.0.2';
const REBINDINGS = 300;

/** Every address that this process tries to connect to, until `stop`. */
function watchConnections(): { addresses: string[]; stop(): void } {
  const addresses: string[] = [];
  const watch = (message: unknown): void => {
    if (typeof message !== 'object' || message === null || !('socket' in message)) return;
    if (message.socket instanceof Socket) message.socket.on('connectionAttempt', (address) => addresses.push(address));
  };
  subscribe('net.client.socket', watch);
  return { addresses, stop: () => unsubscribe('net.client.socket', watch) };
}

export const innerAddresses: Fault = {
  what: `${spellings.length} spellings of inner addresses, DNS rebinding`,
  promise: 'refused at registration and at the connection: connects 0',
  run: async ({ random }) => {
    const authority = await createAuthority();
    const names = await startNameServer();
    const receiver = await startReceiver({ authority, names: [NAME], host: OUTSIDE });
    const trap = await startReceiver({ authority, names: [NAME, INSIDE], port: receiver.port });
    const rules = addressRules([OUTSIDE], [receiver.port]);
    const { lookup } = createNames(rules, { resolver: names.resolver, fallbackDuration: 0 });
    const send = sendTo(rules, authority, lookup);
    const watch = watchConnections();
    const urls = spellings.map((host) => `https://${host}:${receiver.port}/`);
    for (const host of spellings) names.zone.set(host, [[INSIDE]]);
    const registered = await registeredAmong(rules, urls, (host) => names.resolver.resolve4(host).catch(() => []));
    const outcomes = await Promise.all(urls.map((url) => send(url)));
    const sent = urls.filter((_, number) => outcomes[number] !== 'not_sent');
    const delivered = await rebind(names.zone, random, () => send(`https://${NAME}:${receiver.port}/`));
    watch.stop();
    const wrong = watch.addresses.filter((address) => address !== OUTSIDE);
    await Promise.all([receiver.close(), trap.close()]);
    names.close();
    return {
      figures:
        `registered ${registered.length}, sent to ${sent.length}; ${REBINDINGS} requests to a name that changes: ` +
        `${delivered} delivered outside, connects inside ${wrong.length}`,
      breaches: [
        ...registered.map((url) => `${url} was registered`),
        ...sent.map((url) => `${url} was sent to`),
        ...expectThat(wrong.length === 0, `connections were tried to ${[...new Set(wrong)].join()}`),
        ...expectThat(trap.connections() === 0, `${trap.connections()} connections came in inside`),
        ...expectThat(delivered > 0, 'nothing was delivered outside either'),
      ],
    };
  },
};

function sendTo(addresses: AddressRules, { cert }: Authority, lookup: ReturnType<typeof createNames>['lookup']) {
  const settings = { addresses, extraCa: cert, deadlineMs: 2_000, connectMs: 1_000, idleConnections: 0, lookup };
  const { send }: { send: Send } = createHttpClient(settings);
  return async (url: string): Promise<string> => {
    const { outcome } = await send({ url, headers: {}, body: Buffer.from('{}') }, new AbortController().signal);
    return outcome.kind;
  };
}

async function registeredAmong(
  addresses: AddressRules,
  urls: readonly string[],
  resolve: (host: string) => Promise<string[]>,
): Promise<string[]> {
  const accepted: string[] = [];
  for (const url of urls) {
    const checked = checkDestination({ addresses, resolve }, { url, username: 'a', password: 'b' });
    await checked.then(
      () => accepted.push(url),
      () => undefined,
    );
  }
  return accepted;
}

/**
 * The name resolves to an outside address first, and then to an inside address or to both. Resolves to the number of
 * deliveries.
 */
async function rebind(zone: Map<string, string[][]>, random: Random, send: () => Promise<string>): Promise<number> {
  let delivered = 0;
  for (let number = 0; number < REBINDINGS; number += 1) {
    const answers = [1, 2, 3].map(() =>
      choose(
        random,
        [
          [3, [OUTSIDE]],
          [2, [INSIDE]],
          [1, [OUTSIDE, INSIDE]],
          [1, ['10.0.0.1']],
          [1, ['169.254.169.254']],
        ],
        [INSIDE],
      ),
    );
    zone.set(NAME, answers);
    if ((await send()) === 'answered') delivered += 1;
  }
  return delivered;
}
