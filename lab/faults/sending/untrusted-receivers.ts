import { once } from 'node:events';
import { createServer } from 'node:net';
import { sql } from 'kysely';
import { newEndpoints } from '../../../test/support/processes/endpoints.js';
import { expectThat } from '../../../test/support/processes/judgement.js';
import type { Stage } from '../../../test/support/processes/stage.js';
import { newTraffic } from '../../../test/support/processes/traffic.js';
import { countOf, endPauses, pending } from '../../../test/support/queue.js';
import { createAuthority, type ReceiverOptions, startReceiver, waitFor } from '../../../test/support/receiver.js';
import type { Fault } from '../fault.js';

const ATTEMPTS = 3;

/** A receiver that the worker must not trust, and the amount that it learned. */
interface Untrusted {
  name: string;
  port: number;
  handshakes(): number;
  /** Requests, or unencrypted bytes that contain a part of one. */
  learned(): number;
  close(): Promise<void>;
}

async function untrusted(name: string, options: ReceiverOptions): Promise<Untrusted> {
  const { port, received, connections, close } = await startReceiver(options);
  return { name, port, handshakes: connections, learned: () => received.length, close };
}

/** Speaks no TLS, and reads all bytes. */
async function inClear(): Promise<Untrusted> {
  let connections = 0;
  const chunks: Buffer[] = [];
  const server = createServer((socket) => {
    connections += 1;
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      chunks.push(chunk);
      socket.end('HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0;
  const learned = () =>
    /authorization|Basic|webhook-id|loggiKey/i.test(Buffer.concat(chunks).toString('latin1')) ? 1 : 0;
  const close = async () => {
    server.close();
  };
  return { name: 'no TLS at all', port, handshakes: () => connections, learned, close };
}

async function openAll({ authority }: Stage): Promise<Untrusted[]> {
  return [
    await untrusted('expired', { authority, expired: true }),
    await untrusted('another host', { authority, names: ['other.example'] }),
    await untrusted('another address', { authority, names: ['localhost', '127.0.0.2'] }),
    await untrusted('an unknown authority', { authority: await createAuthority() }),
    await untrusted('TLS 1.1', { authority, maxVersion: 'TLSv1.1' }),
    await inClear(),
  ];
}

export const untrustedReceivers: Fault = {
  what: 'certificate expired, of another host, of an unknown authority; TLS 1.1; no TLS',
  promise: 'refused before anything secret is sent',
  run: async ({ stage }) => {
    const receiver = await stage.openReceiver();
    const world = await newEndpoints(stage, receiver, { endpoints: 6 });
    const receivers = await openAll(stage);
    for (const [number, { port }] of receivers.entries()) {
      const url = `https://127.0.0.1:${port}/`;
      await stage.db
        .updateTable('webhook_endpoints')
        .set({ url })
        .where('id', '=', world[number]?.id ?? '')
        .execute();
    }
    await newTraffic(stage.db).move(world);
    await stage.start('worker', [receiver.port, ...receivers.map(({ port }) => port)]);
    const notSent = () => countOf(stage.db, 'webhook_attempts', sql`outcome = 'not_sent'`);
    for (let attempt = 1; attempt <= ATTEMPTS; attempt += 1) {
      const refused = async () => (await notSent()) >= attempt * receivers.length;
      // If the worker trusts the receiver, the received bytes show it.
      await waitFor(refused, `attempt ${attempt}`, 8_000).catch(() => undefined);
      await endPauses(stage.db);
    }
    const waiting = await pending(stage.db);
    await Promise.all(receivers.map(({ close }) => close()));
    const tried = receivers.reduce((sum, { handshakes }) => sum + handshakes(), 0);
    const trusted = receivers.filter((each) => each.learned() > 0).map(({ name }) => name);
    return {
      figures: `${tried} handshakes with ${receivers.length} receivers: trusted ${trusted.length}`,
      breaches: [
        ...expectThat(trusted.length === 0, `trusted: ${trusted.join(', ')}`),
        ...expectThat(tried >= ATTEMPTS * receivers.length, 'not every receiver was tried'),
        ...expectThat(waiting === world.length, `${world.length - waiting} notifications are gone`),
      ],
    };
  },
};
