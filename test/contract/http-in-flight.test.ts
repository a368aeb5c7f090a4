import { once } from 'node:events';
import { type ClientRequest, get as httpGet } from 'node:http';
import { beforeEach, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { type Gate, gateOf } from '../support/gate.js';
import { waitFor } from '../support/receiver.js';
import { ID, notesApp, serverOf } from './http-notes-app.js';

/** Simultaneous requests of one account. */

const AT_ONCE = 2;
const WAITING = 120;

/** The ids of running requests, in the order in which they began. The gate lets each end. */
let begun: string[];
let ended: number;
let gate: Gate;

const { app } = notesApp({
  limits: { accountPerHour: 0, accountConcurrency: AT_ONCE },
  handlers: {
    getMine: async ({ ctx }) => {
      begun.push(ctx.actor.role);
      await gate.passed();
      ended += 1;
      return { status: 200, body: { id: ID, title: 'mine', received: undefined } };
    },
  },
});
const server = await serverOf(app);
const api = request(server);

beforeEach(() => {
  begun = [];
  ended = 0;
  gate = gateOf();
});

const mine = (token: string) => api.get('/notes/mine').set('Authorization', `Bearer ${token}`);

/** Sends the request at once. */
const sent = (token: string): Promise<request.Response> => mine(token).then((answer) => answer);

function leaving(): ClientRequest {
  const { port } = Object(server.address());
  const sending = httpGet({ port, path: '/notes/mine', headers: { Authorization: 'Bearer customer' } });
  return sending.on('error', () => undefined);
}

describe('requests of one account', () => {
  test('run a few at once, wait for a turn, and are refused when too many wait; others are served', async () => {
    const all = Array.from({ length: AT_ONCE + WAITING + 1 }, () => sent('customer'));
    const refused = await Promise.race(all);
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '1']);
    expect(refused.body.error).toMatchObject({ code: 'RATE_LIMITED', reason: 'requests_in_flight' });
    const other = sent('operator');
    await waitFor(() => begun.includes('operator'), 'the request of another');
    expect(begun).toEqual(['customer', 'customer', 'operator']);
    gate.open();
    const statuses = (await Promise.all([...all, other])).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(AT_ONCE + WAITING + 1);
    expect((await sent('customer')).status).toBe(200);
  });

  test('keep their place until their work ends, even if the client goes away', async () => {
    const gone = [leaving(), leaving()];
    await waitFor(() => begun.length === AT_ONCE, 'their begin');
    for (const each of gone) each.destroy();
    const next = sent('customer').then(({ status }) => [status, ended]);
    // A complete request of another caller is served meanwhile.
    expect((await api.get('/ping')).status).toBe(200);
    expect(begun).toHaveLength(AT_ONCE);
    gate.open();
    expect(await next).toEqual([200, AT_ONCE + 1]);
  });

  test('are not begun when their client has gone before', async () => {
    const all = [sent('customer'), sent('customer')];
    await waitFor(() => begun.length === AT_ONCE, 'their begin');
    const gone = leaving();
    const [, answer] = await once(server, 'request');
    gone.destroy();
    await once(answer, 'close');
    const last = sent('customer');
    gate.open();
    expect((await Promise.all([...all, last])).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(begun).toHaveLength(AT_ONCE + 1);
  });
});
