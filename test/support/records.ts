import {
  absentRecords,
  endpointBody,
  movementTo,
  type Operation,
  orderBody,
  packageBody,
  type Records,
  tokenForm,
} from './bodies.js';
import { closedMonth } from './closed-month.js';
import { ask, must } from './http.js';
import { jpeg } from './pictures.js';
import { giveFactor } from './second-factor.js';
import type { Caller, Service } from './service.js';

/** Requests for any operation of the contracts: one record of each kind, and the bodies to send. */

/** Settings under which `newRecords` can register webhook endpoints. */
export const recordSettings = { WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' };

/** The package for a path, because some operations need packages in certain statuses. */
function keyFor(path: string, { loggiKey, waitingKey, deliveredKey, requestKey }: Records): string {
  if (path.includes('/requests')) return requestKey;
  if (path.includes('/answers')) return waitingKey;
  return path.endsWith('/return') ? deliveredKey : loggiKey;
}

function parameterOf(path: string, name: string, records: Records): string {
  const ids: Readonly<Record<string, string>> = {
    users: records.userId,
    products: records.productId,
    orders: records.orderId,
    'webhook-endpoints': records.endpointId,
    'malote-webhook-keys': records.endpointId,
    'operator-keys': records.operatorKeyId,
    'api-keys': records.apiKeyId,
    members: records.memberId,
    erasures: records.erasureId,
    answers: records.answerId,
    collections: records.collectionId,
    tasks: records.answerId,
    requests: records.requestId,
  };
  const others: Readonly<Record<string, string | number>> = {
    order_ids: records.orderId,
    loggi_key: keyFor(path, records),
    token: records.trackingToken,
    webhook_id: records.webhookId,
    payment_method_id: records.paymentMethodId,
    key_id: records.apiKeyId,
    member_id: records.memberId,
    code: path.includes('/collections/') ? records.collectionCode : records.code,
    version: records.version,
    month: records.month,
  };
  const collection = /\/([\w-]+)\/\{id\}/.exec(path)?.[1] ?? '';
  const value = name === 'id' ? ids[collection] : others[name];
  if (value === undefined) throw new Error(`${path} has a parameter that the tests do not know: ${name}`);
  return String(value);
}

/**
 * Only a deleted user is erased or reactivated. Only a delivered package has a proof or is reopened, and only some
 * packages have a PIN.
 */
function recordsFor({ id, path }: Omit<Operation, 'example'>, records: Records): Records {
  if (id === 'eraseUser' || id === 'reactivateUser') return { ...records, userId: records.deletedUserId };
  if (/\}\/(proof|reopening)/.test(path)) return { ...records, loggiKey: records.provenKey };
  return /\}\/pin/.test(path) ? { ...records, loggiKey: records.pinKey } : records;
}

/** The required query parameters of operations. */
const queryFor: Readonly<Record<string, string>> = {
  getCoverage: '?postal_code=01310200',
  getRateTable: '?pickup_postal_code=01310200',
};

export const pathFor = (operation: Omit<Operation, 'example'>, records: Records): string => {
  const { id, path } = operation;
  const query = queryFor[id] ?? '';
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    parameterOf(path, name, recordsFor(operation, records)),
  );
  return `${filled}${query}`;
};

type Make = (caller: Caller, service: Service) => Promise<Partial<Records>>;

const product: Make = async ({ rest }) => {
  const dimensions = { width: 12, height: 6, length: 20, weight: 520 };
  const body = { sku: 'CAFE-500', name: 'Café torrado', price: '38.50', dimensions };
  return { productId: must(await rest.POST('/api/v1/products', { body })).id };
};

const order: Make = async ({ rest }) => {
  const { id, packages } = must(await rest.POST('/api/v1/orders', { body: orderBody() }));
  const trackingToken = packages[0]?.tracking_url?.split('/').at(-1) ?? '';
  return { orderId: id, loggiKey: packages[0]?.loggi_key ?? '', trackingToken };
};

/** Makes an order with two packages: one waits for its shipper and has an answer, and one is delivered. */
const movedPackages: Make = async ({ rest }, { operator: { operator } }) => {
  const body = { ...orderBody(), packages: [packageBody, packageBody] };
  const { packages } = must(await rest.POST('/api/v1/orders', { body }));
  const [waitingKey = '', deliveredKey = ''] = packages.map(({ loggi_key }) => loggi_key);
  const action_required = { reason_label: 'Endereço incompleto', reason_description: 'Falta o número.' };
  const movements = [{ ...movementTo(waitingKey, 6), action_required }, movementTo(deliveredKey, 5)];
  must(await operator.POST('/operator/v1/movements', { body: { movements } }));
  const params = { path: { loggi_key: waitingKey } };
  const answering = { params, body: { note: 'Ring twice.' } };
  const { id: answerId } = must(await rest.POST('/api/v1/packages/{loggi_key}/answers', answering));
  return { waitingKey, deliveredKey, answerId };
};

/** Makes a package with a request to hold it. */
const requested: Make = async ({ rest }, { operator: { operator } }) => {
  const { packages } = must(await rest.POST('/api/v1/orders', { body: orderBody() }));
  const requestKey = packages[0]?.loggi_key ?? '';
  must(await operator.POST('/operator/v1/movements', { body: { movements: [movementTo(requestKey, 18)] } }));
  const until = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10);
  const body = { kind: 'hold', until } as const;
  const asking = { params: { path: { loggi_key: requestKey } }, body };
  const { id: requestId } = must(await rest.POST('/api/v1/packages/{loggi_key}/requests', asking));
  return { requestKey, requestId };
};

/** Makes a delivered package with every proof, and a package with a PIN. */
const provenPackages: Make = async ({ rest }, { operator: { operator } }) => {
  const body = { ...orderBody(), packages: [packageBody, { ...packageBody, delivery_pin: true }] };
  const { packages } = must(await rest.POST('/api/v1/orders', { body }));
  const [provenKey = '', pinKey = ''] = packages.map(({ loggi_key }) => loggi_key);
  const proof = { recipient_name: 'Marta Lima', recipient_document: '4821' };
  const delivered = { ...movementTo(provenKey), status_code: 5, proof };
  must(await operator.POST('/operator/v1/movements', { body: { movements: [delivered] } }));
  const picture = {
    params: { path: { loggi_key: provenKey } },
    headers: { 'Content-Type': 'application/octet-stream' },
    body: '',
    bodySerializer: () => jpeg(),
  };
  await operator.PUT('/operator/v1/packages/{loggi_key}/proof/photo', picture);
  await operator.PUT('/operator/v1/packages/{loggi_key}/proof/signature', picture);
  return { provenKey, pinKey };
};

const collection: Make = async ({ rest }) => {
  const { id } = must(await rest.POST('/api/v1/orders', { body: orderBody() }));
  const list = must(await rest.POST('/api/v1/collections', { body: { order_ids: [id] } }));
  return { collectionId: list.id, collectionCode: list.code };
};

const paymentMethod: Make = async ({ id }, { operator: { operator } }) => {
  const methods = must(await operator.GET('/operator/v1/users/{id}/payment-methods', { params: { path: { id } } }));
  return { paymentMethodId: methods.data[0]?.id ?? 0 };
};

/** Makes an endpoint with a dead letter. */
const deadLetter: Make = async ({ id: userId }, { operator: { operator }, db }) => {
  const { endpoint } = must(await operator.POST('/operator/v1/webhook-endpoints', { body: endpointBody(userId) }));
  const params = { path: { id: endpoint.id } };
  const { webhook_id } = must(await operator.POST('/operator/v1/webhook-endpoints/{id}/test', { params }));
  await db.deleteFrom('webhook_requests').where('webhook_id', '=', webhook_id).execute();
  const letter = { kind: 'tracking', dead_at: new Date(), body: Buffer.from('{"packages":[]}') } as const;
  await db.updateTable('webhook_deliveries').set(letter).where('webhook_id', '=', webhook_id).execute();
  return { endpointId: endpoint.id, webhookId: webhook_id };
};

const operatorKey: Make = async (_caller, { operator: { operator } }) => {
  const body = { name: 'Scanner', scope: 'movements' } as const;
  return { operatorKeyId: must(await operator.POST('/operator/v1/operator-keys', { body })).operator_key.id };
};

const apiKey: Make = async ({ rest }, { url }) => {
  const body = { name: 'Shop', scope: 'all' } as const;
  const { api_key, secret } = must(await rest.POST('/api/v1/api-keys', { body }));
  const { text } = await ask(url, 'POST', '/auth/token', { body: tokenForm(api_key.id, secret, 'read') });
  return { apiKeyId: api_key.id, apiKeySecret: secret, readToken: JSON.parse(text).access_token };
};

/** Makes a member with a second factor, which no login uses. */
const member: Make = async ({ rest, id }, service) => {
  const email = `member-${id}@malote.test`;
  const { member: invited, link } = must(
    await rest.POST('/api/v1/members', { body: { name: 'Bia Ramos', email, role: 'shipper' } }),
  );
  await giveFactor(service, invited.id);
  return { memberId: invited.id, memberLink: link.token };
};

export async function storeLogo({ rest }: Pick<Caller, 'rest'>): Promise<void> {
  const headers = { 'Content-Type': 'application/octet-stream' };
  await rest.PUT('/api/v1/branding/logo', { headers, body: '', bodySerializer: () => jpeg() });
}

const logo: Make = async (caller) => {
  await storeLogo(caller);
  return {};
};

const erasure: Make = async (_caller, { operator: { operator } }) => {
  const body = { before: '2026-01-01T00:00:00Z', dry_run: false };
  return { erasureId: must(await operator.POST('/operator/v1/recipient-erasures', { body })).erasure?.id ?? '' };
};

const deletedUser: Make = async (_caller, { customer, operator: { rest } }) => {
  const { id } = await customer();
  await rest.DELETE('/api/v1/users/{id}', { params: { path: { id } } });
  return { deletedUserId: id };
};

const secondFactor: Make = async ({ id }, service) => {
  await giveFactor(service, id);
  return {};
};

/** Makes a closed month. */
const statement: Make = async ({ id }, { db }) => ({ month: await closedMonth(db, id) });

/** Functions that make records, with the paths and ids of the operations that need them. */
const makers: readonly [about: RegExp, make: Make][] = [
  [/product|createOrder|estimateOrder/, product],
  // These come before the endpoint, so that no body waits for it.
  [/answers|tasks|\/return /, movedPackages],
  [/requests/, requested],
  [/order(s|_ids)|packages|movements|tracking|createCollection/, order],
  [/\/collections\//, collection],
  [/\/(proof|pin|reopening)\b/, provenPackages],
  [/payment-methods/, paymentMethod],
  [/webhook|deliveries|send-now/, deadLetter],
  [/operator-keys/, operatorKey],
  [/\/api-keys|issueToken/, apiKey],
  [/members|password-change/, member],
  [/getLogo/, logo],
  [/erasures\//, erasure],
  [/eraseUser|reactivateUser/, deletedUser],
  [/remove(Own)?SecondFactor/, secondFactor],
  [/statements/, statement],
];

/** A new customer with one record of each kind, or only with the records that one operation needs. */
export async function newRecords(service: Service, only?: Omit<Operation, 'example'>): Promise<Records> {
  const caller = await service.customer();
  const { id: userId, email, token } = caller;
  let records: Records = { ...absentRecords(token), userId, email, code: 3, version: 1 };
  for (const [about, make] of makers)
    if (!only || about.test(`${only.path} ${only.id}`)) records = { ...records, ...(await make(caller, service)) };
  return records;
}
