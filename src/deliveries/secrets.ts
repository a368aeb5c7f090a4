import { randomBytes } from 'node:crypto';
import { sql } from 'kysely';
import type { KeyRing } from '../base/keys.js';
import { open, seal } from '../base/seal.js';
import type { Db } from '../db/connect.js';
import type { SealedTable } from '../db/sealed-tables.js';

/** What authenticates a request to an endpoint (contracts/guides/webhook.md#what-arrives), as it is stored. */
export interface SealedSecrets {
  id: string;
  password_sealed: Buffer;
  secret_sealed: Buffer;
  previous_secret_sealed: Buffer | null;
}

/** Where they are stored; a deleted endpoint has none left. */
export const sealedEndpoints: SealedTable = {
  table: 'webhook_endpoints',
  what: 'secrets of webhook endpoints',
  key: ['id'],
  sealed: ['password_sealed', 'secret_sealed', 'previous_secret_sealed'],
  current: sql`deleted_at is null`,
  ownerOf: ([id = '']) => id,
};

/** What is stored in their place once an endpoint is deleted. */
export const erasedSecrets = {
  password_sealed: Buffer.alloc(0),
  secret_sealed: Buffer.alloc(0),
  previous_secret_sealed: null,
};

const KEY_BYTES = 32;

/** A new key of signatures, as Standard Webhooks writes it: `whsec_` and base64. */
export function newSigningSecret(): string {
  return `whsec_${randomBytes(KEY_BYTES).toString('base64')}`;
}

/** Seals a secret of an endpoint: bound to its id, it opens for no other endpoint. */
export function sealSecret(ring: KeyRing, endpointId: string, secret: string): Buffer {
  return seal(ring, secret, endpointId);
}

export interface Secrets {
  password: string;
  /** The present key, then the previous one while that is still valid. */
  signingSecrets: string[];
}

/** Throws SealError when the ring lacks the key or the bytes belong to another endpoint. */
export function openSecrets(ring: KeyRing, { id, ...sealed }: SealedSecrets): Secrets {
  const openText = (bytes: Buffer) => open(ring, bytes, id).toString('utf8');
  const previous = sealed.previous_secret_sealed;
  return {
    password: openText(sealed.password_sealed),
    signingSecrets: [sealed.secret_sealed, ...(previous ? [previous] : [])].map(openText),
  };
}

/** Those of the newest endpoints, and of the oldest, which the newest key does not open where it was replaced. */
export async function sampleSecrets(db: Db): Promise<SealedSecrets[]> {
  const columns = ['id', 'password_sealed', 'secret_sealed'] as const;
  const endpoints = db
    .selectFrom('webhook_endpoints')
    .select([...columns, sql<null>`null`.as('previous_secret_sealed')])
    .where('deleted_at', 'is', null);
  const newest = await endpoints.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(2).execute();
  const oldest = await endpoints.orderBy('created_at').orderBy('id').limit(1).execute();
  return [...newest, ...oldest.filter(({ id }) => newest.every((each) => each.id !== id))];
}
