import { type KeyObject, randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { KeyRing } from '../base/secrets/keys.js';
import { open, seal } from '../base/secrets/seal.js';
import type { Db } from '../db/connect.js';
import { sealed } from '../db/tables/sealed.js';
import { toPrivateKey } from './key-pairs.js';

/** Sealed secrets that authenticate requests to an endpoint (contracts/guides/webhook.md#what-arrives). */
export interface SealedSecrets {
  id: string;
  password_sealed: Buffer;
  secret_sealed: Buffer;
  previous_secret_sealed: Buffer | null;
  /** Null until an endpoint of a release before 1.3 gets its key pair. */
  private_key_sealed: Buffer | null;
  previous_private_key_sealed: Buffer | null;
}

export const sealedValues = (endpoint: SealedSecrets): (Buffer | null)[] =>
  sealed.endpoints.sealed.map((column) => endpoint[column]);

/** A new signing key, as Standard Webhooks writes it: `whsec_` and base64. */
export const newSigningSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

/** Seals a secret: bound to the endpoint's id, it opens for no other endpoint. */
export const sealSecret = (ring: KeyRing, endpointId: string, secret: string): Buffer => seal(ring, secret, endpointId);

/** The present key is the first, then the previous one while it is valid. */
export interface Secrets {
  password: string;
  signingSecrets: string[];
  privateKeys: KeyObject[];
}

/** Throws SealError when the ring lacks the key or the bytes belong to another endpoint. */
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

/** Samples the newest endpoints, and the oldest, which a new key does not open where it was replaced. */
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
