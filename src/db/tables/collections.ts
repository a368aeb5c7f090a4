import type { Generated } from 'kysely';
import type { MaybeStamp, Stamp } from '../columns.js';

export type ListedOutcome = 'collected' | 'missing' | 'refused';

/** A list of packages that are handed over together. Its state is open, received or cancelled. */
interface Collections {
  id: string;
  account_id: string;
  code: string;
  package_count: number;
  created_at: Stamp;
  cancelled_at: MaybeStamp;
  received_at: MaybeStamp;
  /** The account of the operator. */
  received_by: string | null;
  happened_at: MaybeStamp;
  city: string | null;
  state: string | null;
  /** Scanned codes that are not on the list. */
  extra_codes: string[] | null;
  /** Tells a repeated receipt from a different one. */
  fingerprint: Buffer | null;
}

interface CollectionPackages {
  collection_id: string;
  position: number;
  loggi_key: string;
  order_id: string;
  /** True while the list is open. A package is on one open list at most. */
  is_open: Generated<boolean>;
  outcome: ListedOutcome | null;
}

export interface CollectionTables {
  collections: Collections;
  collection_packages: CollectionPackages;
}
