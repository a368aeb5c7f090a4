import type { CatalogueStatus } from './catalogue.js';
import type { Instant } from './instant.js';
import type { MovementFacts } from './movement.js';

/** What a package is before a batch of movements, and after it. */
export interface PackageState {
  loggiKey: string;
  accountId: string;
  orderId: string;
  seq: number;
  statusCode: number;
  since: Instant;
  currentMovementId: string;
  /** When the order was created, and the earliest time that counts as then. */
  createdAt: Instant;
  earliest: Instant;
}

/** A movement's content as it was reported, by which a repetition is told from another movement of the same id. */
export interface MovementContent extends MovementFacts {
  loggiKey: string;
  statusCode: number;
  reportedAt: Instant;
}

/** A movement to be written. */
export interface Moved extends MovementContent {
  id: string;
  seq: number;
  /** The time that counts: as reported, unless a clock was a little ahead or behind. */
  happenedAt: Instant;
}

/** What is known before the batch; keys and ids in lower case. */
export interface Known {
  statuses: ReadonlyMap<number, CatalogueStatus>;
  packages: ReadonlyMap<string, PackageState>;
  /** Movements that have been recorded under one of the ids of the batch. */
  recorded: ReadonlyMap<string, MovementContent>;
  /** When the batch was received. */
  now: Instant;
  /** The latest time that is not refused as the future. */
  latest: Instant;
}
