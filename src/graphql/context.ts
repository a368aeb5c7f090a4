import type { Registry } from 'prom-client';
import type { Identity } from '../accounts/identity.js';
import type { Actor } from '../base/actor.js';
import type { Clock } from '../base/clock.js';
import { type FieldError, type ServiceError, unauthenticated } from '../base/errors.js';
import type { KeyRing } from '../base/keys.js';
import type { Logger } from '../base/log.js';
import type { Db } from '../db/connect.js';
import type { CodeSource } from '../packages/codes.js';
import type { Planning } from '../routing/planning.js';
import type { Turns } from './turns.js';

/** What the resolvers of this door work with. */
export interface GraphqlDeps {
  db: Db;
  identity: Identity;
  planning: Planning;
  clock: Clock;
  codes: CodeSource;
  log: Logger;
  metrics: Registry;
  /** Seals the results kept for idempotency keys. */
  encryptionKeys: KeyRing;
}

/** What resolvers know of the request. */
export type Context = {
  /** Undefined without credentials. */
  readonly actor: Actor | undefined;
  /** Address of the client, as far as the proxies in front are trusted. */
  readonly ip: string;
  readonly idempotencyKey: string | undefined;
  /** Adds to the headers of the answer. */
  readonly addHeaders: (headers: Readonly<Record<string, string>>) => void;
  /** Runs work when all that was given before has ended, so that a request holds one connection, whatever it asks for. */
  readonly inTurn: Turns;
  /** The wrong fields of a result that are listed: there are no more than a hundred in an answer. */
  readonly listed: (refusal: Pick<ServiceError, 'details' | 'isPartial'>) => FieldError[];
};

export const CHALLENGE = 'ApiKey realm="malote"';

/** Who asks. Throws `UNAUTHENTICATED` without credentials. */
export function actorIn({ actor }: Context): Actor {
  if (actor) return actor;
  throw unauthenticated(
    'Send Authorization: ApiKey <EMAIL>:<API_KEY>; without it, only login may be asked for.',
    CHALLENGE,
  );
}
