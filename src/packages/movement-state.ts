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
}

/** A movement's content, by which a repetition is told from another movement of the same id. */
export interface MovementContent extends MovementFacts {
  loggiKey: string;
  statusCode: number;
  happenedAt: Instant;
}

/** A movement to be written. */
export interface Moved extends MovementContent {
  id: string;
  seq: number;
}

/** What is known before the batch; keys and ids in lower case. */
export interface Known {
  statuses: ReadonlyMap<number, CatalogueStatus>;
  packages: ReadonlyMap<string, PackageState>;
  /** Movements that have been recorded under one of the ids of the batch. */
  recorded: ReadonlyMap<string, MovementContent>;
  /** The latest time that is not refused as the future. */
  latest: Instant;
}
