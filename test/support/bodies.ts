import { randomUUID } from 'node:crypto';
import { stateNames } from '../../src/base/place.js';
import { blobOf, jpeg } from './pictures.js';
import { RECOVERY_CODE } from './second-factor.js';
import { operatorLogin } from './service.js';

/** The parts of an operation that requests need. */
export interface Operation {
  readonly id: string;
  readonly path: string;
  /** The example of the body. Undefined if the operation has no body. */
  readonly example: unknown;
}

const anyId = (): string => randomUUID();

/** Unknown records, by the names of path parameters and bodies in the contracts. */
export const absentRecords = (token: string) => ({
  token,
  userId: anyId(),
  /** A deleted user, so of another account. */
  deletedUserId: anyId(),
  email: 'nobody@malote.test',
  productId: anyId(),
  orderId: anyId(),
  /** Bodies for a new order. */
  loggiKey: anyId(),
  /** Bodies for a package that waits for its shipper, with an answer. */
  waitingKey: anyId(),
  answerId: anyId(),
  requestKey: anyId(),
  requestId: anyId(),
  /** Bodies for a delivered package. */
  deliveredKey: anyId(),
  /** Bodies for a delivery with every proof. */
  provenKey: anyId(),
  /** Bodies for a package with a PIN. */
  pinKey: anyId(),
  /** Bodies for the package's tracking link. */
  trackingToken: 'A'.repeat(52),
  endpointId: anyId(),
  webhookId: anyId(),
  operatorKeyId: anyId(),
  apiKeyId: anyId(),
  apiKeySecret: `mak_${'A'.repeat(43)}`,
  memberId: anyId(),
  /** Bodies for the secret of that member's invitation. */
  memberLink: `mil_${'A'.repeat(43)}`,
  /** A token of that key, with the scope `read`. */
  readToken: 'none',
  paymentMethodId: 2_000_000_000,
  code: 32_000,
  version: 2_000_000,
  /** An open list of a package in status 1. */
  collectionId: anyId(),
  collectionCode: 'C000000000000',
  month: '2001-01',
  erasureId: anyId(),
});

/** Records of one account. */
export type Records = Readonly<ReturnType<typeof absentRecords>>;

const ADDRESS = 'Av. Paulista, 1578 - Bela Vista, São Paulo - SP, 01310-200';
const unique = (): string => anyId().slice(0, 13);

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

/** An order of one package for GraphQL (`CreateOrderInput`). */
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

export const endpointBody = (user_id: string) => ({
  user_id,
  url: `https://127.0.0.1:8443/hook/${unique()}`,
  username: 'malote',
  password: 's3cr3t-of-the-receiver',
});

export const movementTo = (loggi_key: string, status_code = 3) => ({
  id: randomUUID(),
  loggi_key,
  status_code,
  happened_at: new Date().toISOString(),
});

const example = ({ example: value }: Operation): object => Object(value);

let numbered = 0;

const rates = (operation: Operation) => ({ ...example(operation), volumetric_cm3_per_kg: 5000 + ++numbered });

/** Areas that serve every place, so that orders of other tests are accepted. */
const areas = () => ({
  areas: [{ name: `Brazil ${++numbered}`, states: Object.keys(stateNames) }],
});

/** A calendar with the usual hours, so that times of other tests do not change. */
const calendar = () => ({ closed: [{ date: '2027-01-25', name: `Day ${++numbered}`, municipality: 3550308 }] });

const receipts = new Map<string, string>();

/** The time of a receipt. It is the same for the same list, because a different receipt is refused. */
function receivedAt(code: string): string {
  const time = receipts.get(code) ?? new Date().toISOString();
  receipts.set(code, time);
  return time;
}

/** The example with the operator's own password. */
const withProof = (operation: Operation): object => ({
  ...example(operation),
  current_password: operatorLogin.password,
});

/** Bodies of operations whose examples in the contract name other records, or can be sent only once. */
const bodies: Readonly<Record<string, (operation: Operation, records: Records) => object>> = {
  login: () => operatorLogin,
  signIn: () => operatorLogin,
  issueToken: (_operation, { apiKeyId, apiKeySecret }) => tokenForm(apiKeyId, apiKeySecret),
  inviteMember: (operation, { userId: user_id }) => ({
    ...example(operation),
    ...{ email: `${unique()}@malote.test`, user_id },
  }),
  inviteUserMember: (operation) => ({
    ...example(operation),
    ...{ email: `${unique()}@malote.test`, current_password: operatorLogin.password },
  }),
  updateUserMember: withProof,
  makeMemberPasswordLink: withProof,
  removeUserMemberSecondFactor: withProof,
  removeOwnSecondFactor: () => ({ code: RECOVERY_CODE }),
  // With `true` the operation would end the tokens of its caller.
  setSecondFactorRule: () => ({ required: false }),
  changeOwnPassword: () => ({ current_password: operatorLogin.password, password: operatorLogin.password }),
  useMemberLink: (_operation, { memberLink: token }) => ({ token, password: 'staple battery horse' }),
  createApiKey: () => ({ name: `Shop ${unique()}`, scope: 'all' }),
  createUser: (operation) => ({ ...example(operation), email: `${unique()}@malote.test` }),
  updateUser: (operation, { email }) => ({
    ...example(operation),
    ...{ email, current_password: operatorLogin.password },
  }),
  createProduct: (operation) => ({ ...example(operation), sku: `SKU-${unique()}` }),
  updateProduct: (operation) => ({ ...example(operation), sku: `SKU-${unique()}` }),
  createOrder: () => orderBody(),
  returnPackage: () => ({ external_id: `devolucao-${unique()}` }),
  estimateOrder: () => orderBody(),
  cancelPackageForShipper: () => ({ preview: false }),
  createCollection: (_operation, { orderId }) => ({ order_ids: [orderId] }),
  receiveCollection: (_operation, { collectionCode }) => ({ happened_at: receivedAt(collectionCode), missing: [] }),
  recordMovements: (_operation, { loggiKey }) => ({ movements: [movementTo(loggiKey)] }),
  addPackageStatus: (operation) => ({ ...example(operation), code: 1000 + ++numbered }),
  addPaymentMethod: (operation) => ({ ...example(operation), label: `Visa ${unique()}` }),
  addRateCard: rates,
  quote: (operation) => ({
    ...example(operation),
    pickups: [{ postal_code: String(1_310_100 + ++numbered).padStart(8, '0') }],
  }),
  previewRateCard: rates,
  // Today's date in São Paulo.
  setUserRateCard: () => ({ name: 'standard', from: new Date(Date.now() - 3 * 3_600_000).toISOString().slice(0, 10) }),
  addServiceAreas: areas,
  previewServiceAreas: areas,
  addCalendar: calendar,
  previewCalendar: calendar,
  createWebhookEndpoint: (_operation, { userId }) => endpointBody(userId),
  updateWebhookEndpoint: (_operation, { userId }) => {
    const { user_id: _, password: __, ...body } = endpointBody(userId);
    return body;
  },
  reactivateUser: withProof,
  createPackageRequest: (() => {
    // Only one request of a kind may be open, so kinds alternate.
    let asked = 0;
    return () => {
      asked += 1;
      return asked % 2 === 0
        ? { kind: 'stop_and_return' }
        : { kind: 'correct_recipient', recipient: { name: 'Bruno' } };
    };
  })(),
  reopenPackage: (operation) => ({ ...example(operation), current_password: operatorLogin.password }),
  replayDeliveries: () => ({ dead_letters: true }),
  createOperatorKey: () => ({ name: `Scanner ${unique()}`, scope: 'movements' }),
  eraseRecipients: () => ({ before: new Date(Date.UTC(2026, 0, 1) + ++numbered).toISOString() }),
  sendNow: (_operation, { endpointId }) => ({ endpoint_id: endpointId }),
  putProofPhoto: () => pictureBody(),
  putLogo: () => pictureBody(),
  putProofSignature: () => pictureBody(),
};

export const tokenForm = (client_id: string, client_secret: string, scope = ''): Blob => {
  const form = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret, scope });
  return new Blob([form.toString()], { type: 'application/x-www-form-urlencoded' });
};

/** The same picture each time, because a different one is refused. */
const pictureBody = (): Blob => blobOf(jpeg());

/** A body that the operation accepts. New records differ at each call. Undefined if there is no body. */
export function bodyFor(operation: Operation, records: Records): object | undefined {
  const own = bodies[operation.id]?.(operation, records);
  return own ?? (operation.example === undefined ? undefined : example(operation));
}
