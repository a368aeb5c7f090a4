import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { parseKeyRing } from '../../src/base/secrets/keys.js';
import { open } from '../../src/base/secrets/seal.js';
import { haystack } from '../support/needles.js';
import { PASSWORD } from '../support/password.js';
import { recordSettings } from '../support/records.js';
import type { Service } from '../support/service.js';
import { at, bodyOf, placeOrder } from './fixtures.js';

const keys = `test:${randomBytes(32).toString('base64')}`;

/** Opens the secrets that services with these settings seal. */
export const ring = parseKeyRing(keys);
export const settings = { ...recordSettings, ENCRYPTION_KEYS: keys };

const keyed = () => ({ 'Idempotency-Key': randomUUID() });

let counter = 0;

/** Creates a user through the interfaces. Resolves to everything that names the user. */
export async function newUser({ operator: by, signIn, anonymous, db }: Service) {
  counter += 1;
  const [email, phone] = [`zenaide-${counter}@exemplo.test`, `+55 21 9876-${4000 + counter}`];
  const profile = { email, name: `Zenaide Camargo ${counter}`, phone };
  const body = { ...profile, password: PASSWORD };
  const user = await bodyOf(by.rest.POST('/api/v1/users', { headers: keyed(), body }));
  const path = at(user.id);
  await by.operator.POST('/operator/v1/users/{id}/phone-confirmation', { ...path, headers: keyed() });
  const label = `Visa of ${counter}`;
  const method = { kind: 'credit_card', label } as const;
  await by.operator.POST('/operator/v1/users/{id}/payment-methods', { ...path, headers: keyed(), body: method });
  const endpoint = {
    url: `https://127.0.0.1:8443/camargo/${counter}`,
    username: `camargo-${counter}`,
    password: `b4sic-${counter}-${randomUUID()}`,
  };
  const registered = await bodyOf(
    by.operator.POST('/operator/v1/webhook-endpoints', { headers: keyed(), body: { user_id: user.id, ...endpoint } }),
  );
  const { id: endpointId } = registered.endpoint;
  const rotated = await bodyOf(by.operator.POST('/operator/v1/webhook-endpoints/{id}/secret-rotation', at(endpointId)));
  const endpoints = db.selectFrom('webhook_endpoints').select('private_key_sealed').where('id', '=', endpointId);
  const { private_key_sealed } = await endpoints.executeTakeFirstOrThrow();
  const customer = await signIn({ email: profile.email, password: PASSWORD });
  await anonymous.rest.POST('/auth/login', { body: { email: profile.email, password: 'a wrong one' } });
  const order = await placeOrder(customer);
  const accounts = db.selectFrom('accounts').select('password_hash').where('id', '=', user.id);
  const { password_hash: hash } = await accounts.executeTakeFirstOrThrow();
  const names = { ...profile, label, failures: createHash('sha256').update(profile.email).digest('hex') };
  const addresses = { url: endpoint.url, username: endpoint.username };
  const secrets = {
    password: endpoint.password,
    hash,
    signing: registered.signing_secret,
    next: rotated.signing_secret,
    privateKey: open(ring, private_key_sealed ?? Buffer.alloc(0), endpointId).toString('utf8'),
  };
  return { id: user.id, email, customer, order, endpointId, names, addresses, secrets };
}

export type User = Awaited<ReturnType<typeof newUser>>;

export const remove = (service: Service, { id }: { id: string }) =>
  service.operator.rest.DELETE('/api/v1/users/{id}', at(id));

export const eraseUser = ({ operator }: Service, id: string) =>
  operator.operator.POST('/operator/v1/users/{id}/erasure', at(id));

/** The places in the database that name the user or hold its credentials. */
export const placesOf = ({ db }: Service, user: User) =>
  haystack(db, ring, { ...user.names, ...user.addresses, ...user.secrets });
