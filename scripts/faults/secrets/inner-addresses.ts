import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Socket } from 'node:net';
import { type AddressRules, addressRules } from '../../../src/deliveries/addresses.js';
import { checkDestination } from '../../../src/deliveries/destination.js';
import { checkedLookup } from '../../../src/webhook/lookup.js';
import { createHttpSender, type Send } from '../../../src/webhook/sender.js';
import { startNameServer } from '../../../test/support/name-server.js';
import { choose, type Random } from '../../../test/support/random.js';
import { type Authority, createAuthority, startReceiver } from '../../../test/support/receiver.js';
import { expectThat, type Fault } from '../fault.js';
import { spellings } from './spellings.js';

const NAME = 'hooks.example.com';
const INSIDE = '127.0.0.1';
// Allowed by name, it stands for an address outside: nothing leaves this machine.
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
  number: 27,
  name: `${spellings.length} spellings of inner addresses, DNS rebinding`,
  promise: 'refused at registration and at the connection: connects 0',
  run: async ({ random }) => {
    const authority = await createAuthority();
    const names = await startNameServer();
    const receiver = await startReceiver({ authority, names: [NAME], host: OUTSIDE });
    const trap = await startReceiver({ authority, names: [NAME, INSIDE], port: receiver.port });
    const rules = addressRules([OUTSIDE], [receiver.port]);
    const lookup = checkedLookup(rules, { resolver: names.resolver, fallbackDuration: 0 });
    const send = sendTo(rules, authority, lookup);
    const watch = watchConnections();
    const urls = spellings.map((host) => `https://${host}:${receiver.port}/`);
    for (const host of spellings) names.zone.set(host, [[INSIDE]]);
    const registered = await accepted(rules, urls, (host) => names.resolver.resolve4(host).catch(() => []));
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

function sendTo(addresses: AddressRules, { cert }: Authority, lookup: ReturnType<typeof checkedLookup>) {
  const settings = { addresses, extraCa: cert, deadlineMs: 2_000, connectMs: 1_000, idleConnections: 0, lookup };
  const { send }: { send: Send } = createHttpSender(settings);
  return async (url: string): Promise<string> => {
    const { outcome } = await send({ url, headers: {}, body: Buffer.from('{}') }, new AbortController().signal);
    return outcome.kind;
  };
}

async function accepted(
  addresses: AddressRules,
  urls: readonly string[],
  resolve: (host: string) => Promise<string[]>,
): Promise<string[]> {
  const found: string[] = [];
  for (const url of urls) {
    const checked = checkDestination({ addresses, resolve }, { url, username: 'a', password: 'b' });
    await checked.then(
      () => found.push(url),
      () => undefined,
    );
  }
  return found;
}

/** The name leads outside at one moment and inside, or to both, at the next. Answers how often it was delivered. */
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
