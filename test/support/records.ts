import { randomUUID } from 'node:crypto';
import { must } from './http.js';
import { blobOf, jpeg } from './pictures.js';
import { operatorLogin, type Service } from './service.js';

/** Requests for any operation of the contracts: one record of each kind, and what is sent to reach it. */

/** What these requests need to know of an operation. */
interface Operation {
  readonly id: string;
  readonly path: string;
  /** The example of its body; undefined where it takes none. */
  readonly example: unknown;
}

/** What one account owns, under the names of the contracts' path parameters and bodies. */
export interface Records {
  readonly token: string;
  readonly userId: string;
  /** Of another account. */
  readonly deletedUserId: string;
  readonly email: string;
  readonly productId: string;
  readonly orderId: string;
  readonly loggiKey: string;
  /** Of a package that is delivered, with all that can prove it. */
  readonly provenKey: string;
  /** Of a package with a PIN. */
  readonly pinKey: string;
  /** Of the package's tracking link. */
  readonly trackingToken: string;
  readonly endpointId: string;
  readonly webhookId: string;
  readonly operatorKeyId: string;
  readonly paymentMethodId: number;
  readonly code: number;
  readonly version: number;
  readonly erasureId: string;
}

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

const ADDRESS = 'Av. Paulista, 1578 - Bela Vista, São Paulo - SP, 01310-200';
const unique = (): string => randomUUID().slice(0, 13);

export const packageBody = {
  pickup_index: 0,
  recipient: { name: 'Bruno Lima', phone: '+55 11 98888-7777' },
  address: { address: 'Rua dos Pinheiros, 498 - Pinheiros, São Paulo - SP, 05422-000', complement: 'ap 12' },
  dimensions: { width: 20, height: 10, length: 30, weight: 1200 },
};

export const orderBody = (other: object = {}) => ({
  external_id: `pedido-${unique()}`,
  pickups: [{ address: { address: ADDRESS } }],
  packages: [{ ...packageBody, ...other }],
});

/** An order of one package as GraphQL has it (`CreateOrderInput`). */
export const graphqlOrder = (paymentMethod: number) => ({
  paymentMethod,
  pickups: [{ address: { address: ADDRESS } }],
  packages: [
    {
      pickupIndex: 0,
      recipient: packageBody.recipient,
      address: { address: packageBody.address.address },
      dimensions: packageBody.dimensions,
    },
  ],
});

const endpointBody = (user_id: string) => ({
  user_id,
  url: `https://127.0.0.1:8443/hook/${unique()}`,
  username: 'malote',
  password: 's3cr3t-of-the-receiver',
});

const movementTo = (loggi_key: string) => ({
  id: randomUUID(),
  loggi_key,
  status_code: 3,
  happened_at: new Date().toISOString(),
});

const example = ({ example: value }: Operation): object => Object(value);

let numbered = 0;

/** Bodies whose examples in the contract name records of another world, or can be sent only once. */
const bodies: Readonly<Record<string, (operation: Operation, records: Records) => object>> = {
  login: () => operatorLogin,
  createUser: (operation) => ({ ...example(operation), email: `${unique()}@malote.test` }),
  updateUser: (operation, { email }) => ({ ...example(operation), email }),
  createProduct: (operation) => ({ ...example(operation), sku: `SKU-${unique()}` }),
  updateProduct: (operation) => ({ ...example(operation), sku: `SKU-${unique()}` }),
  createOrder: () => orderBody(),
  estimateOrder: () => orderBody(),
  recordMovements: (_operation, { loggiKey }) => ({ movements: [movementTo(loggiKey)] }),
  addPackageStatus: (operation) => ({ ...example(operation), code: 1000 + ++numbered }),
  addPaymentMethod: (operation) => ({ ...example(operation), label: `Visa ${unique()}` }),
  addRateCard: (operation) => ({
    ...example(operation),
    volumetric_cm3_per_kg: 5000 + ++numbered,
  }),
  createWebhookEndpoint: (_operation, { userId }) => endpointBody(userId),
  updateWebhookEndpoint: (_operation, { userId }) => {
    const { user_id: _, password: __, ...body } = endpointBody(userId);
    return body;
  },
  replayDeliveries: () => ({ dead_letters: true }),
  createOperatorKey: () => ({ name: `Scanner ${unique()}`, scope: 'movements' }),
  eraseRecipients: () => ({ before: new Date(Date.UTC(2026, 0, 1) + ++numbered).toISOString() }),
  sendNow: (_operation, { endpointId }) => ({ endpoint_id: endpointId }),
  putProofPhoto: () => pictureBody(),
  putProofSignature: () => pictureBody(),
};

/** The same one each time, as another one is refused. */
const pictureBody = (): Blob => blobOf(jpeg());

/** A body that the operation accepts, another one at each call where it takes a record; undefined where it takes none. */
export function bodyFor(operation: Operation, records: Records): object | undefined {
  const own = bodies[operation.id]?.(operation, records);
  return own ?? (operation.example === undefined ? undefined : example(operation));
}

function parameterOf(path: string, name: string, records: Records): string {
  const ids: Readonly<Record<string, string>> = {
    users: records.userId,
    products: records.productId,
    orders: records.orderId,
    'webhook-endpoints': records.endpointId,
    'operator-keys': records.operatorKeyId,
    erasures: records.erasureId,
  };
  const others: Readonly<Record<string, string | number>> = {
    loggi_key: records.loggiKey,
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

/** Only a user that is deleted can be erased, only what was delivered has a proof, and only some packages have a PIN. */
function recordsFor({ id, path }: Omit<Operation, 'example'>, records: Records): Records {
  if (id === 'eraseUser') return { ...records, userId: records.deletedUserId };
  if (/\}\/proof/.test(path)) return { ...records, loggiKey: records.provenKey };
  return /\}\/pin/.test(path) ? { ...records, loggiKey: records.pinKey } : records;
}

export const pathFor = (operation: Omit<Operation, 'example'>, records: Records): string => {
  const { path } = operation;
  return path.replace(/\{(\w+)\}/g, (_, name: string) => parameterOf(path, name, recordsFor(operation, records)));
};

/** Delivers a package, with all that can prove it. */
async function deliver({ operator }: Service['operator'], loggi_key: string): Promise<void> {
  const proof = { recipient_name: 'Marta Lima', recipient_document: '4821' };
  const delivered = { ...movementTo(loggi_key), status_code: 5, proof };
  must(await operator.POST('/operator/v1/movements', { body: { movements: [delivered] } }));
  const picture = {
    params: { path: { loggi_key } },
    headers: { 'Content-Type': 'image/jpeg' },
    body: '',
    bodySerializer: () => jpeg(),
  };
  await operator.PUT('/operator/v1/packages/{loggi_key}/proof/photo', picture);
  await operator.PUT('/operator/v1/packages/{loggi_key}/proof/signature', picture);
}

/** A new customer with one record of each kind; its endpoint has a dead letter. */
export async function newRecords({ customer, operator, db }: Service): Promise<Records> {
  const { id: userId, email, token, rest } = await customer();
  const dimensions = { width: 12, height: 6, length: 20, weight: 520 };
  const product = { sku: 'CAFE-500', name: 'Café torrado', price: '38.50', dimensions };
  const { id: productId } = must(await rest.POST('/api/v1/products', { body: product }));
  const order = must(await rest.POST('/api/v1/orders', { body: orderBody() }));
  const others = { ...orderBody(), packages: [packageBody, { ...packageBody, delivery_pin: true }] };
  const [provenKey = '', pinKey = ''] = must(await rest.POST('/api/v1/orders', { body: others })).packages.map(
    ({ loggi_key }) => loggi_key,
  );
  await deliver(operator, provenKey);
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
  const { erasure } = must(await operator.operator.POST('/operator/v1/recipient-erasures', erasing));
  const { id: deletedUserId } = await customer();
  await operator.rest.DELETE('/api/v1/users/{id}', { params: { path: { id: deletedUserId } } });
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
