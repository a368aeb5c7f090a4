import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { absentRecords, bodyFor, endpointBody } from '../support/bodies.js';
import { type Answer, type Ask, ask } from '../support/http.js';
import { PASSWORD } from '../support/password.js';
import { blobOf, jpeg } from '../support/pictures.js';
import { waitFor } from '../support/receiver.js';
import { newRecords } from '../support/records.js';
import { giveFactor } from '../support/second-factor.js';
import { operatorLogin } from '../support/service.js';
import type { Described } from './oracle.js';
import { secondFactors } from './second-factors.js';
import { keyed, type Provoke, send, whileHeld } from './send.js';
import type { World } from './world.js';

/** For each documented status: how to make an operation answer it. */

/** Sends the request of a client that already has the answer. */
async function sendKnown(operation: Described, world: World, altered: Ask = {}): Promise<Answer> {
  const etag = (await send(operation, world, altered)).headers.get('etag') ?? '';
  return send(operation, world, { ...altered, headers: { 'If-None-Match': etag } });
}

/** Repeats a request until its answer, which is made in the background, is ready. */
async function sendWhenMade(operation: Described, world: World): Promise<Answer> {
  let answer = await send(operation, world);
  await waitFor(async () => {
    answer = await send(operation, world);
    return answer.status !== 202;
  }, 'an answer that is made in the background');
  return answer;
}

const sendAnother: Provoke = (operation, world) => send(operation, world, { body: blobOf(jpeg(320, 240)) });

/** Does the work while all versions of the service areas begin later, so that no version is in force. */
async function whileAnnounced(work: () => Promise<Answer>, { service: { db } }: World): Promise<Answer> {
  await sql`update service_areas set valid_from = valid_from + interval '1 day'`.execute(db);
  const answer = await work();
  await sql`update service_areas set valid_from = valid_from - interval '1 day'`.execute(db);
  return answer;
}

async function labelsOfCancelled(operation: Described, world: World): Promise<Answer> {
  const { service } = world;
  const records = await newRecords(service, operation);
  const path = { id: records.orderId };
  await service.operator.rest.PUT('/api/v1/orders/{id}/status', { params: { path }, body: { status: 'cancelled' } });
  return send(operation, world, { records });
}

/** Calls the operation for the account's own sign-in, a member that cannot be changed. */
const ofAccount: Provoke = (operation, world) =>
  send(operation, world, { records: { ...world.records, memberId: world.records.userId } });

/** Conflicts of operations that take no idempotency key. */
const conflicts: Readonly<Record<string, Provoke>> = {
  updateUser: (operation, world) =>
    send(operation, world, {
      body: { ...Object(operation.example), email: operatorLogin.email, current_password: operatorLogin.password },
    }),
  deleteUser: async (operation, world) =>
    send(operation, world, { records: { ...world.records, userId: world.service.operator.id } }),
  ...{ updateMember: ofAccount, removeMember: ofAccount, updateUserMember: ofAccount, removeUserMember: ofAccount },
  removeMemberSecondFactor: ofAccount,
  updateProduct: async (operation, world) => {
    const body = { ...Object(operation.example), sku: 'TAKEN' };
    await ask(world.service.url, 'POST', '/api/v1/products', { token: world.records.token, body });
    return send(operation, world, { body });
  },
  updateOrderStatus: async (operation, world) => {
    const records = await newRecords(world.service, operation);
    await send(operation, world, { records, body: { status: 'completed' } });
    return send(operation, world, { records, body: { status: 'processing' } });
  },
  ...{ putProofPhoto: sendAnother, putProofSignature: sendAnother },
  getPackageLabel: labelsOfCancelled,
  getOrderLabels: labelsOfCancelled,
  getLabels: labelsOfCancelled,
  updateWebhookEndpoint: async (operation, world) => {
    const body = { ...endpointBody(world.records.userId), url: 'https://127.0.0.1:8443/taken' };
    await world.service.operator.operator.POST('/operator/v1/webhook-endpoints', { body });
    return send(operation, world, { body: { url: body.url, username: 'malote' } });
  },
};

/** Provocations of operations that work once per operator, each with a new operator, and of the token endpoint. */
const once: Readonly<Record<string, Readonly<Record<string, Provoke>>>> = {
  issueToken: {
    '401': (operation, world) => send(operation, world, { records: absentRecords('') }),
  },
  getRateTable: {
    '200': (operation, world) => sendWhenMade(operation, world),
    '202': (operation, world) =>
      send(operation, world, { query: `?pickup_postal_code=01310200&weights=${1 + (Date.now() % 29_999)}` }),
    '304': async (operation, world) => {
      await sendWhenMade(operation, world);
      return sendKnown(operation, world);
    },
  },
  getStatement: {
    '200': (operation, world) => send(operation, world, { token: world.records.token }),
    '304': (operation, world) => sendKnown(operation, world, { token: world.records.token }),
  },
  getLogo: {
    '200': (operation, world) => send(operation, world, { token: world.records.token }),
    '404': async (operation, world) => send(operation, world, { token: (await world.service.customer()).token }),
  },
  changeOwnPassword: {
    // The operation ends the tokens of its caller.
    '204': async (operation, world) => {
      const records = await newRecords(world.service, operation);
      const body = { current_password: PASSWORD, password: PASSWORD };
      return send(operation, world, { token: records.token, body });
    },
  },
  ...secondFactors,
  useMemberLink: {
    '401': (operation, world) => send(operation, world, { body: bodyFor(operation, absentRecords('')) }),
  },
  login: {
    '403': async (operation, world) => {
      const { id, email } = await world.service.customer();
      await giveFactor(world.service, id);
      return send(operation, world, { body: { email, password: PASSWORD } });
    },
  },
  signIn: {
    '403': (operation, world) => send(operation, world, { body: { email: world.records.email, password: PASSWORD } }),
  },
};

export const provocationOf = ({ id }: Described, status: string): Provoke | undefined =>
  once[id]?.[status] ?? provocations[status];

/** A GET changes nothing, so its records can be shared; any other method gets new ones. */
const succeed: Provoke = async (operation, world) => {
  const records = operation.method === 'GET' ? world.records : await newRecords(world.service, operation);
  return send(operation, world, { records });
};

const provocations: Readonly<Record<string, Provoke>> = {
  '200': succeed,
  '201': succeed,
  '202': succeed,
  '204': succeed,
  '304': (operation, world) => sendKnown(operation, world),
  '400': (operation, world) => send(operation, world, { query: '?colour=red' }),
  '401': (operation, world) =>
    operation.isPublic
      ? send(operation, world, { body: { email: 'nobody@malote.test', password: 'wrong' } })
      : send(operation, world, { token: 'none' }),
  '403': (operation, world) => {
    const { strict, records } = world;
    if (!operation.roles.includes('customer')) return send(operation, world, { token: records.token });
    const { 'x-scopes': scopes } = operation.node;
    if (!String(scopes).includes('read')) return send(operation, world, { token: records.readToken });
    // Every customer and every key may do this.
    return send(operation, world, { service: strict, token: strict.operator.token });
  },
  '404': async (operation, world) => {
    if (operation.id === 'getCurrentServiceAreas') return whileAnnounced(() => send(operation, world), world);
    if (operation.id === 'getCurrentRateCard') return send(operation, world, { query: '?name=unknown' });
    const records = absentRecords(world.records.token);
    if (operation.id === 'previewRateCard') {
      const body = { ...bodyFor(operation, world.records), user_id: randomUUID() };
      return send(operation, world, { body });
    }
    return send(operation, world, { records, body: bodyFor(operation, world.records) });
  },
  '405': (operation, world) => ask(world.service.url, 'POST', operation.path, {}),
  '406': (operation, world) => send(operation, world, { headers: { Accept: 'text/html' } }),
  '409': (operation, world) => {
    const conflict = conflicts[operation.id];
    if (conflict) return conflict(operation, world);
    return whileHeld(operation, world, (key) => send(operation, world, { headers: keyed(key) }));
  },
  '412': (operation, world) => send(operation, world, { headers: { 'If-Match': '"999"' } }),
  '413': (operation, world) => {
    const limit = Number(operation.node['x-max-body'] ?? 1_048_576);
    const text = JSON.stringify('x'.repeat(limit));
    const usual = bodyFor(operation, world.records);
    return send(operation, world, { body: usual instanceof Blob ? new Blob([text], { type: usual.type }) : text });
  },
  '415': (operation, world) => send(operation, world, { headers: { 'Content-Type': 'text/plain' } }),
  '422': async (operation, world) => {
    const request = { headers: keyed(randomUUID()), body: bodyFor(operation, world.records) };
    const [first, again] = [await send(operation, world, request), await send(operation, world, request)];
    if (again.text !== first.text || !again.headers.has('idempotent-replayed'))
      throw new Error(`the same request again is answered ${again.status} ${again.text}, not ${first.text}`);
    // Another body, or another record if the operation has no body.
    return send(operation, world, { headers: request.headers, records: world.others });
  },
  '429': async (operation, world) => {
    // Tracking has ten times the budget of other public operations.
    for (let left = 10; left > 0 && operation.node['x-budget'] === 'tracking'; left -= 1)
      await send(operation, world, { service: world.limited });
    return send(operation, world, { service: world.limited });
  },
  '503': (operation, world) => send(operation, world, { service: world.broken }),
};
