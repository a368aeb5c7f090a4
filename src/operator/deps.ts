import type { components, operations } from '../../generated/operator.js';
import type { routes } from '../../generated/operator.routes.js';
import type { Identity } from '../accounts/identity.js';
import type { Clock } from '../base/clock.js';
import type { EveryKey } from '../base/every-key.js';
import type { KeyRing } from '../base/secrets/keys.js';
import type { FiscalRule } from '../base/tax.js';
import type { Db } from '../db/connect.js';
import type { ReadList } from '../db/lists/replica.js';
import type { DestinationRules } from '../endpoints/destination.js';
import type { FiltersOf, Handlers } from '../http/handler.js';
import type { Recording } from '../orders/record-together.js';
import type { TrackingLinks } from '../packages/tracking-links.js';
import type { Planning } from '../routing/planning.js';

export interface OperatorDeps {
  db: Db;
  readList: ReadList;
  clock: Clock;
  recording: Recording;
  planning: Planning;
  trackingLinks: TrackingLinks;
  identity: Identity;
  /** Address of the service, for links. */
  publicUrl: string;
  /** The rule of fiscal documents for accounts without one of their own. */
  fiscalRule: FiscalRule;
  encryptionKeys: KeyRing;
  /** Days without a movement after which a package counts as ended. 0 means never. */
  lostAfterDays: number;
  /** The rules for addresses of webhooks. */
  destinations: DestinationRules;
}

export type AllHandlers = Handlers<operations, typeof routes>;

/** Handlers of some operations, by operationId. */
export type SomeHandlers = Partial<AllHandlers>;
export type OperatorHandlers<Id extends keyof AllHandlers> = Pick<AllHandlers, Id>;

export type Schemas = components['schemas'];
/** The schemas of answers. Every key must be given, even as undefined. */
export type Bodies = EveryKey<Schemas>;

export type Filters<Id extends keyof operations> = FiltersOf<operations[Id]>;
