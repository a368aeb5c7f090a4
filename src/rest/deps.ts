import type { components, operations } from '../../generated/rest.js';
import type { routes } from '../../generated/rest.routes.js';
import type { Identity } from '../accounts/identity.js';
import type { Clock } from '../base/clock.js';
import type { EveryKey } from '../base/every-key.js';
import type { KeyRing } from '../base/secrets/keys.js';
import type { FiscalRule } from '../base/tax.js';
import type { Db } from '../db/connect.js';
import type { ReadList } from '../db/lists/replica.js';
import type { FiltersOf, Handlers } from '../http/handler.js';
import type { Placing } from '../orders/place-order.js';
import type { CodeSource } from '../packages/codes.js';
import type { TrackingLinks } from '../packages/tracking-links.js';
import type { Planning } from '../routing/planning.js';

export interface RestDeps {
  db: Db;
  readList: ReadList;
  identity: Identity;
  planning: Planning;
  clock: Clock;
  /** Seals and opens the answers stored for idempotency keys. */
  encryptionKeys: KeyRing;
  /** Days from an account's deletion to its erasure. 0 means at once. */
  eraseAfterDays: number;
  /** The rule for fiscal documents of accounts without a rule of their own. */
  fiscalRule: FiscalRule;
  placing: Placing;
  /** Makes the codes of collection lists. */
  codes: CodeSource;
  trackingLinks: TrackingLinks;
  /** Address of the service, without a trailing slash. */
  publicUrl: string;
}

export type AllHandlers = Handlers<operations, typeof routes>;

/** Handlers of some operations, by operationId. */
export type SomeHandlers = Partial<AllHandlers>;

export type Schemas = components['schemas'];
/** The schemas of answers. Every key must be given, even as undefined. */
export type Bodies = EveryKey<Schemas>;

export type Filters<Id extends keyof operations> = FiltersOf<operations[Id]>;
