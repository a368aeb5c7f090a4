import { addressRules } from '../../../src/endpoints/addresses.js';
import { createHttpClient, type SendResult } from '../../../src/webhook/http-client.js';
import { expectThat } from '../../../test/support/processes/judgement.js';
import {
  type Authority,
  createAuthority,
  type Receiver,
  type Script,
  startReceiver,
} from '../../../test/support/receiver.js';
import type { Fault } from '../fault.js';

const ROUNDS = 10;
const DEADLINE_MS = 5_000;
const SOON_MS = 2_000;

interface Way {
  receiver: Receiver;
  send(signal?: AbortSignal): Promise<SendResult>;
}

/** Gives `work` a new client and receiver. If the connection is `open`, one request was sent before. */
async function withClient<T>(authority: Authority, open: boolean, work: (way: Way) => Promise<T>): Promise<T> {
  const receiver = await startReceiver({ authority });
  const addresses = addressRules(['127.0.0.0/8'], [receiver.port]);
  const limits = { deadlineMs: DEADLINE_MS, connectMs: DEADLINE_MS, idleConnections: 1 };
  const client = createHttpClient({ addresses, extraCa: authority.cert, ...limits });
  const send = (signal = new AbortController().signal) =>
    client.send({ url: receiver.url, headers: {}, body: Buffer.from('{}') }, signal);
  if (open) await send();
  const result = await work({ receiver, send });
  client.close();
  await receiver.close();
  return result;
}

/** The outcome of a request whose connection the receiver ends in this way, and how often the receiver got it. */
async function arrivalsWhere(authority: Authority, open: boolean, ...ends: Script[]): Promise<string> {
  return withClient(authority, open, async ({ receiver, send }) => {
    receiver.next(...ends);
    const before = receiver.received.length;
    const { outcome } = await send();
    return `${outcome.kind} after ${receiver.received.length - before}`;
  });
}

/** Milliseconds from the stop of the worker to the end of a request that its receiver never answers. */
const cutOffMs = (authority: Authority): Promise<number> =>
  withClient(authority, true, async ({ receiver, send }) => {
    receiver.always('hang');
    const stop = new AbortController();
    const sent = send(stop.signal);
    await receiver.until(2);
    const stoppedAt = performance.now();
    stop.abort();
    await sent;
    return performance.now() - stoppedAt;
  });

const partly: Script = (_, { socket }) => void socket?.end('HTTP/1.1 20');

export const lostConnections: Fault = {
  what: 'connections end as they are used, idle before or new, or the worker stops',
  promise: 'sent again once where an idle connection was closed, nowhere else; cut off at a stop',
  run: async () => {
    const authority = await createAuthority();
    const expected: [name: string, outcome: string, open: boolean, ...Script[]][] = [
      ['idle', 'answered after 2', true, 'reset'],
      ['idle, and the next too', 'no_answer after 2', true, 'reset', 'reset'],
      ['new', 'no_answer after 1', false, 'reset'],
      ['in the midst of an answer', 'no_answer after 1', true, partly],
    ];
    const breaches: string[] = [];
    let longestMs = 0;
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const [name, outcome, ...ends] of expected) {
        const seen = await arrivalsWhere(authority, ...ends);
        breaches.push(...expectThat(seen === outcome, `${name}: ${seen}, not ${outcome}`));
      }
      longestMs = Math.max(longestMs, await cutOffMs(authority));
    }
    breaches.push(...expectThat(longestMs < SOON_MS, `a request ended ${longestMs.toFixed(0)} ms after the stop`));
    return {
      figures: `${ROUNDS * expected.length} ends of connections, ${breaches.length} other outcomes; cut off within ${longestMs.toFixed(0)} ms`,
      breaches: [...new Set(breaches)],
    };
  },
};
