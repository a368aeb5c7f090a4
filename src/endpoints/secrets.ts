import { type KeyObject, randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { KeyRing } from '../base/secrets/keys.js';
import { open, seal } from '../base/secrets/seal.js';
import type { Db } from '../db/connect.js';
import { sealed } from '../db/tables/sealed.js';
import { toPrivateKey } from './key-pairs.js';

/** The sealed secrets that authenticate requests to an endpoint (contracts/guides/webhook.md#what-arrives). */
export interface SealedSecrets {
  id: string;
  password_sealed: Buffer;
  secret_sealed: Buffer;
  previous_secret_sealed: Buffer | null;
  /** An endpoint from a release before 1.3 has null until it gets a key pair. */
  private_key_sealed: Buffer | null;
  previous_private_key_sealed: Buffer | null;
}

export const sealedValues = (endpoint: SealedSecrets): (Buffer | null)[] =>
  sealed.endpoints.sealed.map((column) => endpoint[column]);

/** Makes a new signing key in the notation of Standard Webhooks: `whsec_` and base64. */
export const newSigningSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

/** Seals a secret. It is bound to the endpoint's id, so it does not open for another endpoint. */
export const sealSecret = (ring: KeyRing, endpointId: string, secret: string): Buffer => seal(ring, secret, endpointId);

/** The opened secrets. The present key comes first, then the previous one while it is valid. */
export interface Secrets {
  password: string;
  signingSecrets: string[];
  privateKeys: KeyObject[];
}

/** Opens the secrets. Throws SealError if the ring lacks the key or the bytes belong to another endpoint. */
export function openSecrets(ring: KeyRing, endpoint: SealedSecrets): Secrets {
  const openTexts = (...sealed: (Buffer | null)[]) =>
    sealed.flatMap((bytes) => (bytes ? [open(ring, bytes, endpoint.id).toString('utf8')] : []));
  const [password = ''] = openTexts(endpoint.password_sealed);
  return {
    password,
    signingSecrets: openTexts(endpoint.secret_sealed, endpoint.previous_secret_sealed),
    privateKeys: openTexts(endpoint.private_key_sealed, endpoint.previous_private_key_sealed).map(toPrivateKey),
  };
}

/**
 * Reads secrets to test the keys with: of the newest endpoints, and of the oldest, which a replaced key would not open.
 */
export async function sampleSecrets(db: Db): Promise<SealedSecrets[]> {
  const none = sql<null>`null`;
  const endpoints = db
    .selectFrom('webhook_endpoints')
    .select(['id', 'password_sealed', 'secret_sealed', 'private_key_sealed'])
    .select([none.as('previous_secret_sealed'), none.as('previous_private_key_sealed')])
    .where('deleted_at', 'is', null);
  const newest = await endpoints.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(2).execute();
  const oldest = await endpoints.orderBy('created_at').orderBy('id').limit(1).execute();
  return [...newest, ...oldest.filter(({ id }) => newest.every((each) => each.id !== id))];
}
