import { EventEmitter, once } from 'node:events';
import type { Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ServiceError } from '../../src/base/errors.js';
import { createBodyBudget, type HeldBody } from '../../src/http/body/body-budget.js';
import { waitFor } from '../support/receiver.js';
import { changeByHand, notesApp, serverOf } from './http-notes-app.js';

/** Limits of request bodies that have not fully arrived. */

const LIMIT = 1_048_576;
const EIGHTH = LIMIT / 8;
const actorOf = (number: number) => ({ accountId: `account ${number}`, role: 'customer' }) as const;
const actors = Object.fromEntries(Array.from({ length: 9 }, (_, number) => [`t${number}`, actorOf(number)]));

let pings = 0;
const ping = async () => {
  pings += 1;
  return { status: 200, body: { ok: true } } as const;
};

const { app } = notesApp({ actors, limits: { bodiesLimit: LIMIT }, handlers: { ping } });
const server = await serverOf(app);
const opened: Socket[] = [];

afterEach(async () => {
  for (const socket of opened.splice(0)) socket.destroy();
  await waitFor(() => new Promise((resolve) => server.getConnections((_, count) => resolve(count === 0))), 'their end');
});

type Client = Awaited<ReturnType<typeof send>>;

/** Sends a change of a note with a text of `length` bytes. Only `sent` bytes go out. */
async function send(token: string, length: number, sent = length - 1, headers = '') {
  const filling = Buffer.alloc(sent, 0x20);
  const client = await changeByHand(server, token, `${headers}Content-Length: ${length}\r\n`, [filling]);
  opened.push(client.socket);
  return client;
}

const statusOf = ({ answer }: Client): number => Number(/^HTTP\/1\.1 (\d+)/.exec(answer())?.[1] ?? 0);

const answered = (client: Client): Promise<void> => waitFor(() => client.answer().includes('\r\n\r\n{'), 'an answer');

/** Sends two bodies that do not fit together. Resolves to the refused client and the held one. */
async function pair(token: string): Promise<[refused: Client, held: Client]> {
  const [first, second] = [await send(token, EIGHTH), await send(token, EIGHTH)];
  await waitFor(() => statusOf(first) + statusOf(second) > 0, 'the refusal of one');
  return statusOf(first) > 0 ? [first, second] : [second, first];
}

async function whole(token: string, length: number): Promise<number> {
  const client = await send(token, length, length - 2);
  client.socket.write('{}');
  await answered(client);
  return statusOf(client);
}

describe('bodies that have not fully arrived', () => {
  test('of one account use at most an eighth: more is 429 and ends the connection, and others are served', async () => {
    const [refused, held] = await pair('t0');
    await answered(refused);
    expect(refused.answer()).toMatch(/^HTTP\/1\.1 429 /);
    expect(refused.answer()).toMatch(/\r\nRetry-After: 1\r\n/);
    expect(refused.answer()).toMatch(/\r\nConnection: close\r\n/);
    expect(refused.answer()).toContain('"reason":"bodies_in_flight"');
    await waitFor(() => refused.socket.destroyed || refused.socket.readableEnded, 'the end of its connection');
    expect([statusOf(held), await whole('t1', EIGHTH)]).toEqual([0, 200]);
  });

  test('end their connection when they are refused, so requests behind them are not carried out', async () => {
    const [refused] = await pair('t0');
    await waitFor(() => refused.socket.readableEnded, 'the end of its connection');
    refused.socket.write('}GET /ping HTTP/1.1\r\nHost: a\r\n\r\n');
    refused.socket.end();
    await once(refused.socket, 'close');
    expect(pings).toBe(0);
  });

  test('are counted until the handler gets them', async () => {
    expect([await whole('t0', EIGHTH), await whole('t0', EIGHTH)]).toEqual([200, 200]);
  });

  test('are forgotten when their client goes away', async () => {
    const [, held] = await pair('t0');
    held.socket.destroy();
    await waitFor(async () => (await whole('t0', EIGHTH)) === 200, 'room for another');
  });

  test('use at most seven eighths for all accounts together: more is 503, and small bodies are still served', async () => {
    const all = await Promise.all(Object.keys(actors).map((token) => send(token, EIGHTH)));
    await waitFor(() => all.filter((each) => statusOf(each) === 503).length === 2, 'the refusal of two');
    expect(all.filter((each) => statusOf(each) === 0)).toHaveLength(7);
    expect(all.map((each) => each.answer()).join()).toContain('"reason":"bodies_in_flight"');
    expect(await whole('t8', 100)).toBe(200);
  });

  test('are counted by their size after decompression', async () => {
    const bytes = gzipSync(Buffer.alloc(EIGHTH, 0x20));
    const packed = await send('t0', bytes.length, 0, 'Content-Encoding: gzip\r\n');
    packed.socket.write(bytes);
    await answered(packed);
    expect(statusOf(packed)).toBe(429);
  });
});

type Way = 'account' | 'network' | 'operators';
const changes = fc.array(
  fc.record({
    way: fc.constantFrom<Way>('account', 'network', 'operators'),
    sender: fc.nat({ max: 3 }),
    bytes: fc.nat({ max: 200_000 }),
    ends: fc.boolean(),
  }),
  { maxLength: 200 },
);

test('the budget of bodies never exceeds a share, and is fully returned', () => {
  fc.assert(
    fc.property(changes, (all) => {
      const budget = createBodyBudget(LIMIT, 1_000);
      const most = { account: EIGHTH, network: LIMIT / 32, operators: LIMIT / 2 };
      const open: { way: Way; name: string; bytes: number; body: HeldBody }[] = [];
      const sumOf = (fits: (each: { way: Way; name: string }) => boolean) =>
        open.filter(fits).reduce((sum, { bytes }) => sum + bytes, 0);
      const bodyOf = (way: Way, sender: string) => {
        const res = new EventEmitter();
        if (way === 'account') return budget.ofAccount(sender, res);
        return way === 'network' ? budget.ofPublic(sender, res) : budget.ofOperators(res);
      };
      for (const { way, sender, bytes, ends } of all) {
        const name = way === 'operators' ? way : `${way} ${sender}`;
        const body = bodyOf(way, String(sender));
        try {
          body.grow(bytes);
          open.push({ way, name, bytes, body });
        } catch (error) {
          expect(error).toBeInstanceOf(ServiceError);
        }
        expect(sumOf((each) => each.name === name)).toBeLessThanOrEqual(most[way]);
        expect(sumOf((each) => each.way === 'network')).toBeLessThanOrEqual(EIGHTH);
        expect(sumOf(() => true)).toBeLessThanOrEqual(LIMIT);
        if (ends) open.splice(0, 1)[0]?.body.release();
      }
      for (const { body } of open) body.release();
      bodyOf('operators', '').grow(LIMIT / 2);
    }),
    { numRuns: 50 },
  );
});
