import type { Generated } from 'kysely';
import type { MaybeStamp, Stamp } from '../columns.js';

export type ListedOutcome = 'collected' | 'missing' | 'refused';

/** A list of packages that are handed over together; received, cancelled, or open. */
interface Collections {
  id: string;
  account_id: string;
  code: string;
  package_count: number;
  created_at: Stamp;
  cancelled_at: MaybeStamp;
  received_at: MaybeStamp;
  /** The operator's account. */
  received_by: string | null;
  happened_at: MaybeStamp;
  city: string | null;
  state: string | null;
  /** Codes that were scanned, and that are not on the list. */
  extra_codes: string[] | null;
  /** Tells the same receipt, sent again, from another one. */
  fingerprint: Buffer | null;
}

interface CollectionPackages {
  collection_id: string;
  position: number;
  loggi_key: string;
  order_id: string;
  /** A package stands on one open list. */
  is_open: Generated<boolean>;
  outcome: ListedOutcome | null;
}

export interface CollectionTables {
  collections: Collections;
  collection_packages: CollectionPackages;
}
