import { sql } from 'kysely';
import type { KeyRing } from '../../base/keys.js';
import { open, seal } from '../../base/seal.js';
import type { SealedTable } from '../../db/sealed-tables.js';
import type { PictureKind } from '../../db/tables/database.js';

/** What is sealed of a package. */
type Sealed = 'facts' | 'pin' | PictureKind;

/** What sealed bytes belong to: moved to another package, or taken for something else, they do not open. */
const ownerOf = (loggiKey: string, what: string): string => `${loggiKey} ${what}`;

/** `loggiKey` in lower case, as the database spells it. */
export const sealFor = (keys: KeyRing, loggiKey: string, what: Sealed, plain: string | Uint8Array): Buffer =>
  seal(keys, plain, ownerOf(loggiKey, what));

/** Throws SealError when the ring lacks the key. */
export const openFor = (keys: KeyRing, loggiKey: string, what: Sealed, sealed: Uint8Array): Buffer =>
  open(keys, sealed, ownerOf(loggiKey, what));

export const sealedProofTables: readonly SealedTable[] = [
  {
    table: 'delivery_proofs',
    what: 'proofs of delivery',
    key: ['loggi_key'],
    sealed: ['facts'],
    current: sql`facts is not null`,
    ownerOf: ([loggiKey = '']) => ownerOf(loggiKey, 'facts'),
  },
  {
    table: 'delivery_pictures',
    what: 'photos and signatures of deliveries',
    key: ['loggi_key', 'kind'],
    sealed: ['sealed'],
    current: sql`true`,
    ownerOf: ([loggiKey = '', kind = '']) => ownerOf(loggiKey, kind),
  },
  {
    table: 'delivery_pins',
    what: 'PINs of packages',
    key: ['loggi_key'],
    sealed: ['pin'],
    current: sql`true`,
    ownerOf: ([loggiKey = '']) => ownerOf(loggiKey, 'pin'),
  },
];
