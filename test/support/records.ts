import { randomUUID } from 'node:crypto';
import { endpointBody, movementTo, type Operation, orderBody, packageBody, type Records } from './bodies.js';
import { must } from './http.js';
import { jpeg } from './pictures.js';
import type { Caller, Service } from './service.js';

/** Requests for any operation of the contracts: one record of each kind, and what is sent to reach it. */

/** Settings under which `newRecords` can register webhook endpoints. */
export const recordSettings = { WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8' };

/** Records that nobody has. */
export const absentRecords = (token: string): Records => ({
  token,
  userId: randomUUID(),
  deletedUserId: randomUUID(),
  email: 'nobody@malote.test',
  productId: randomUUID(),
  orderId: randomUUID(),
  loggiKey: randomUUID(),
  waitingKey: randomUUID(),
  answerId: randomUUID(),
  deliveredKey: randomUUID(),
  provenKey: randomUUID(),
  pinKey: randomUUID(),
  trackingToken: 'A'.repeat(52),
  endpointId: randomUUID(),
  webhookId: randomUUID(),
  operatorKeyId: randomUUID(),
  paymentMethodId: 2_000_000_000,
  code: 32_000,
  version: 2_000_000,
  erasureId: randomUUID(),
});

/** Some operations are about packages in certain statuses. */
function keyFor(path: string, { loggiKey, waitingKey, deliveredKey }: Records): string {
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
    erasures: records.erasureId,
    answers: records.answerId,
    tasks: records.answerId,
  };
  const others: Readonly<Record<string, string | number>> = {
    loggi_key: keyFor(path, records),
    token: records.trackingToken,
    webhook_id: records.webhookId,
    payment_method_id: records.paymentMethodId,
    code: records.code,
    version: records.version,
  };
  const collection = /\/([\w-]+)\/\{id\}/.exec(path)?.[1] ?? '';
  const value = name === 'id' ? ids[collection] : others[name];
  if (value === undefined) throw new Error(`${path} has a parameter that the tests do not know: ${name}`);
  return String(value);
}

/**
 * Only a user that is deleted can be erased, only what was delivered has a proof, and only some packages have a PIN.
 */
function recordsFor({ id, path }: Omit<Operation, 'example'>, records: Records): Records {
  if (id === 'eraseUser') return { ...records, userId: records.deletedUserId };
  if (/\}\/proof/.test(path)) return { ...records, loggiKey: records.provenKey };
  return /\}\/pin/.test(path) ? { ...records, loggiKey: records.pinKey } : records;
}

export const pathFor = (operation: Omit<Operation, 'example'>, records: Records): string => {
  const { path } = operation;
  return path.replace(/\{(\w+)\}/g, (_, name: string) => parameterOf(path, name, recordsFor(operation, records)));
};

/** An order of which one package waits for its shipper, who has answered, and one was delivered. */
async function movedPackages({ rest }: Caller, { operator }: Caller) {
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
}

/** Delivers a package, with all that can prove it. */
async function deliver({ operator }: Service['operator'], loggi_key: string): Promise<void> {
  const proof = { recipient_name: 'Marta Lima', recipient_document: '4821' };
  const delivered = { ...movementTo(loggi_key), status_code: 5, proof };
  must(await operator.POST('/operator/v1/movements', { body: { movements: [delivered] } }));
  const picture = {
    params: { path: { loggi_key } },
    headers: { 'Content-Type': 'application/octet-stream' },
    body: '',
    bodySerializer: () => jpeg(),
  };
  await operator.PUT('/operator/v1/packages/{loggi_key}/proof/photo', picture);
  await operator.PUT('/operator/v1/packages/{loggi_key}/proof/signature', picture);
}

/** The keys of a package that was delivered, with all that can prove it, and of one with a PIN. */
async function provenPackages(operator: Caller, rest: Caller['rest']): Promise<string[]> {
  const body = { ...orderBody(), packages: [packageBody, { ...packageBody, delivery_pin: true }] };
  const keys = must(await rest.POST('/api/v1/orders', { body })).packages.map(({ loggi_key }) => loggi_key);
  await deliver(operator, keys[0] ?? '');
  return keys;
}

/**
 * A new customer with one record of each kind; its endpoint has a dead letter. For one operation, what was delivered,
 * erased or has a PIN is made only where the operation is about it: that takes half of the requests.
 */
export async function newRecords(service: Service, only?: Omit<Operation, 'example'>): Promise<Records> {
  const { customer, operator, db } = service;
  const isAbout = (part: RegExp) => only === undefined || part.test(`${only.path} ${only.id}`);
  const caller = await customer();
  const { id: userId, email, token, rest } = caller;
  const dimensions = { width: 12, height: 6, length: 20, weight: 520 };
  const product = { sku: 'CAFE-500', name: 'Café torrado', price: '38.50', dimensions };
  const { id: productId } = must(await rest.POST('/api/v1/products', { body: product }));
  // Before there is an endpoint, so that nothing waits for it.
  const moved = await movedPackages(caller, operator);
  const order = must(await rest.POST('/api/v1/orders', { body: orderBody() }));
  const [provenKey = '', pinKey = ''] = isAbout(/\/(proof|pin)\b/) ? await provenPackages(operator, rest) : [];
  const path = { id: userId };
  const methods = must(await operator.operator.GET('/operator/v1/users/{id}/payment-methods', { params: { path } }));
  const { endpoint } = must(
    await operator.operator.POST('/operator/v1/webhook-endpoints', { body: endpointBody(userId) }),
  );
  const at = { params: { path: { id: endpoint.id } } };
  const sent = must(await operator.operator.POST('/operator/v1/webhook-endpoints/{id}/test', at));
  const keyBody = { name: 'Scanner', scope: 'movements' } as const;
  const { operator_key } = must(await operator.operator.POST('/operator/v1/operator-keys', { body: keyBody }));
  await db.deleteFrom('webhook_requests').where('webhook_id', '=', sent.webhook_id).execute();
  const erasing = { body: { before: '2026-01-01T00:00:00Z', dry_run: false } };
  const { erasure } = isAbout(/erasures\//)
    ? must(await operator.operator.POST('/operator/v1/recipient-erasures', erasing))
    : {};
  const { id: deletedUserId } = isAbout(/eraseUser/) ? await customer() : { id: '' };
  if (deletedUserId) await operator.rest.DELETE('/api/v1/users/{id}', { params: { path: { id: deletedUserId } } });
  // No login uses it.
  const factor = { account_id: userId, secret_sealed: Buffer.alloc(0), confirmed_at: new Date() };
  await db.insertInto('second_factors').values(factor).execute();
  const letter = { kind: 'tracking', dead_at: new Date(), body: Buffer.from('{"packages":[]}') } as const;
  await db.updateTable('webhook_deliveries').set(letter).where('webhook_id', '=', sent.webhook_id).execute();
  return {
    token,
    userId,
    deletedUserId,
    email,
    productId,
    orderId: order.id,
    loggiKey: order.packages[0]?.loggi_key ?? '',
    ...moved,
    provenKey,
    pinKey,
    trackingToken: order.packages[0]?.tracking_url?.split('/').at(-1) ?? '',
    endpointId: endpoint.id,
    webhookId: sent.webhook_id,
    operatorKeyId: operator_key.id,
    paymentMethodId: methods.data[0]?.id ?? 0,
    code: 3,
    version: 1,
    erasureId: erasure?.id ?? '',
  };
}
