import { sql } from 'kysely';
import type { SealedTable } from '../sealing/sealed-tables.js';

/** SQL of the time before which stored answers for idempotency keys have expired. */
export const answerExpiry = sql<Date>`now() - interval '24 hours'`;

/** All columns that `ENCRYPTION_KEYS` seals. Bytes that were sealed for one owner do not open for another. */
export const sealed = {
  endpoints: {
    table: 'webhook_endpoints',
    what: 'secrets of webhook endpoints',
    key: ['id'],
    sealed: [
      'password_sealed',
      'secret_sealed',
      'previous_secret_sealed',
      'private_key_sealed',
      'previous_private_key_sealed',
    ],
    current: sql`deleted_at is null`,
    ownerOf: ([id = '']) => id,
  },
  answers: {
    table: 'idempotency_keys',
    what: 'answers kept for idempotency keys',
    key: ['account_id', 'operation', 'key'],
    sealed: ['fingerprint', 'answer'],
    current: sql`created_at > ${answerExpiry}`,
    ownerOf: (key) => JSON.stringify(key),
  },
  proofs: {
    table: 'delivery_proofs',
    what: 'proofs of delivery',
    key: ['loggi_key'],
    sealed: ['facts'],
    current: sql`facts is not null`,
    ownerOf: ([loggiKey = '']) => `${loggiKey} facts`,
  },
  provenRequests: {
    table: 'package_answers',
    what: 'proofs of delivery in requests of shippers',
    key: ['loggi_key', 'id'],
    sealed: ['proof_facts'],
    current: sql`proof_facts is not null`,
    ownerOf: ([loggiKey = '']) => `${loggiKey} facts`,
  },
  pictures: {
    table: 'delivery_pictures',
    what: 'photos and signatures of deliveries',
    key: ['loggi_key', 'kind'],
    sealed: ['sealed'],
    current: sql`true`,
    ownerOf: ([loggiKey = '', kind = '']) => `${loggiKey} ${kind}`,
  },
  pins: {
    table: 'delivery_pins',
    what: 'PINs of packages',
    key: ['loggi_key'],
    sealed: ['pin'],
    current: sql`true`,
    ownerOf: ([loggiKey = '']) => `${loggiKey} pin`,
  },
  secondFactors: {
    table: 'second_factors',
    what: 'second factors of operators and of people of accounts',
    key: ['account_id'],
    sealed: ['secret_sealed'],
    current: sql`true`,
    ownerOf: ([accountId = '']) => `second factor of ${accountId}`,
  },
} as const satisfies Record<string, SealedTable>;

export const sealedTables: readonly SealedTable[] = Object.values(sealed);
