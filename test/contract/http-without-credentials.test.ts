import { beforeEach, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { ServiceError } from '../../src/base/errors.js';
import { createInFlight, operatorsInFlight } from '../../src/http/limits/in-flight.js';
import { type Gate, gateOf } from '../support/gate.js';
import { waitFor } from '../support/receiver.js';
import { ID, notesApp, serverOf } from './http-notes-app.js';

/** Requests without credentials get a share of the connections, by network, and may have only small bodies. */

const CONNECTIONS = 9;
const SHARE = 3;
const OF_A_NETWORK = 2;
const WAITING = 120;

/** The addresses of running requests, in the order in which they began. */
let begun: string[];
let gate: Gate;

const { app } = notesApp({
  trustProxy: 1,
  limits: { publicPerHour: 0, accountPerHour: 0, connections: CONNECTIONS },
  handlers: {
    signIn: async ({ ctx }) => {
      begun.push(ctx.ip);
      await gate.passed();
      return { status: 200, body: { token: 'x' } };
    },
  },
});
const server = await serverOf(app);
const api = request(server);

beforeEach(() => {
  begun = [];
  gate = gateOf();
});

/** Sends the request at once. */
const signIn = (address: string, password = 'password'): Promise<request.Response> =>
  api
    .post('/sign-in')
    .set('X-Forwarded-For', address)
    .send({ password })
    .then((answer) => answer);

const many = <T>(count: number, work: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => work(at));
const statusesOf = async (all: readonly Promise<request.Response>[]) =>
  (await Promise.all(all)).map(({ status }) => status);

describe('requests without credentials', () => {
  test('run at most as many at once as their share of connections, from any networks; others are served', async () => {
    const all = many(20, (at) => signIn(`192.0.2.${at}`));
    await waitFor(() => begun.length === SHARE, 'the first of them');
    const mine = await api.get('/notes/mine').set('Authorization', 'Bearer customer');
    expect([mine.status, (await api.get('/ping')).status]).toEqual([200, 200]);
    expect(begun).toHaveLength(SHARE);
    gate.open();
    expect(await statusesOf(all)).toEqual(many(20, () => 200));
  });

  test('of one network leave a place to other networks, which take turns with it', async () => {
    const all = many(10, () => signIn('192.0.2.1'));
    await waitFor(() => begun.length === OF_A_NETWORK, 'the first of them');
    const other = signIn('192.0.2.2');
    await waitFor(() => begun.includes('192.0.2.2'), 'the other one');
    expect(begun).toHaveLength(OF_A_NETWORK + 1);
    gate.open();
    expect(await statusesOf([...all, other])).not.toContain(429);
  });

  test('of one network wait in a bounded queue, beyond which they are refused', async () => {
    const all = many(OF_A_NETWORK + WAITING + 1, () => signIn('2001:db8::1'));
    const refused = await Promise.race(all);
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '1']);
    expect(refused.body.error).toMatchObject({ code: 'RATE_LIMITED', reason: 'requests_in_flight' });
    const sameNetwork = await signIn('2001:db8::2');
    expect(sameNetwork.status).toBe(429);
    gate.open();
    expect((await statusesOf(all)).filter((status) => status === 200)).toHaveLength(OF_A_NETWORK + WAITING);
  });

  test('may have bodies of at most 64 KiB; with credentials bodies may be larger', async () => {
    gate.open();
    const bytes = (length: number) => 'x'.repeat(length);
    expect((await signIn('192.0.2.1', bytes(65_000))).status).not.toBe(413);
    const refused = await signIn('192.0.2.1', bytes(66_000));
    expect([refused.status, refused.body.error?.reason]).toEqual([413, 'body_too_large']);
    const change = api
      .put(`/notes/${ID}`)
      .set('Authorization', 'Bearer customer')
      .send({ title: bytes(66_000) });
    expect((await change).status).not.toBe(413);
  });
});

test('at most a thousand requests of all networks wait, and the next one is refused', async () => {
  const inFlight = createInFlight({ connections: CONNECTIONS });
  const places = many(SHARE + 1_000, (at) => inFlight.enterPublic(`network ${at}`));
  const refusal = await inFlight.enterPublic('one more').catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(ServiceError);
  expect(refusal).toMatchObject({ code: 'UNAVAILABLE' });
  for (const place of places) (await place).leave();
});

/** Counts requests that enter at once. Waiting ones are refused after the test. */
async function entered(all: readonly Promise<unknown>[]): Promise<number> {
  let count = 0;
  for (const entering of all)
    entering.then(
      () => (count += 1),
      () => undefined,
    );
  await new Promise(setImmediate);
  return count;
}

test.each([
  [1, 1],
  [2, 1],
  [4, 1],
  [10, 3],
  [30, 10],
])('of %d connections requests without credentials have %d', async (connections, most) => {
  const inFlight = createInFlight({ connections });
  expect(await entered(many(100, (at) => inFlight.enterPublic(`network ${at}`)))).toBe(most);
});

test('reads of operators get the same share, and their movements wait for none of them', async () => {
  const inFlight = operatorsInFlight(createInFlight({ connections: CONNECTIONS }), CONNECTIONS);
  expect(await entered(many(50, () => inFlight.enter('one', 'GET')))).toBe(OF_A_NETWORK);
  expect(await entered(many(50, (at) => inFlight.enter(`key ${at}`, 'GET')))).toBe(SHARE - OF_A_NETWORK);
  expect(await entered(many(50, () => inFlight.enter('one', 'POST')))).toBe(50);
  expect(await entered(many(50, (at) => inFlight.enterPublic(`network ${at}`)))).toBe(SHARE);
});
