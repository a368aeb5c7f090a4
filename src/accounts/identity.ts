import type { Actor, Role } from '../base/actor.js';
import type { Clock } from '../base/clock.js';
import { notFound, unauthenticated } from '../base/errors.js';
import type { KeyRing } from '../base/keys.js';
import type { Logger } from '../base/log.js';
import { isText } from '../base/text.js';
import type { Db } from '../db/connect.js';
import { apiKeyFor, isApiKey, parseApiKeyHeader } from './api-keys.js';
import { credentialsOf } from './credentials.js';
import { createEpochs } from './epochs.js';
import { sweepLoginFailures } from './login-budget.js';
import { checkLogin, dummyHash } from './sign-in.js';
import { sweepSignInNetworks } from './sign-in-networks.js';
import { type AccessToken, type Claims, createTokens } from './tokens.js';

export interface IdentityOptions {
  db: Db;
  /** A pool of one connection for reading which tokens have ended, so that a busy pool does not delay it; `db` when left out. */
  pollDb?: Db;
  log: Logger;
  clock: Clock;
  tokenKeys: KeyRing;
  apiKeySecrets: KeyRing;
  tokenTtlSeconds: number;
  issuer: string;
}

export type SignIn =
  | { ok: true; accountId: string; role: Role; phoneConfirmed: boolean; token: AccessToken }
  | { ok: false; reason: 'credentials' }
  | { ok: false; reason: 'budget'; retryAfterSeconds: number };

export interface ApiLogin {
  accountId: string;
  email: string;
  name: string;
  apiKey: string;
}

export type Identity = ReturnType<typeof createIdentity>;

const SWEEP_EVERY_MS = 300_000;

/** Who asks: sign-in, bearer tokens and API keys (contracts/guides/behaviour.md#identity-and-access). */
export function createIdentity(options: IdentityOptions) {
  const { db, log } = options;
  const epochs = createEpochs(options);
  let sweeping: NodeJS.Timeout | undefined;
  const sweep = () =>
    sweepLoginFailures(db)
      .then(() => sweepSignInNetworks(db))
      .catch((err: unknown) => log.warn({ err }, 'cannot sweep login failures'));

  return {
    ...bearerTokens(options, epochs),
    ...apiKeys(options),
    /** Learns at once which tokens have ended, after this process has ended some; what fails here the next poll makes good. */
    refresh: () => epochs.refresh().catch(() => undefined),
    /** Resolves when tokens can be judged. */
    start: async () => {
      await Promise.all([epochs.start(), dummyHash()]);
      sweeping = setInterval(sweep, SWEEP_EVERY_MS).unref();
    },
    stop: async () => {
      clearInterval(sweeping);
      await epochs.stop();
    },
  };
}

function bearerTokens(options: IdentityOptions, epochs: ReturnType<typeof createEpochs>) {
  const { db, tokenKeys, apiKeySecrets: ring, issuer, tokenTtlSeconds, clock } = options;
  const tokens = createTokens({ keys: tokenKeys, issuer, ttlSeconds: tokenTtlSeconds, clock });

  const holder = ({ accountId, role, epoch }: Claims): Actor | undefined =>
    epochs.hasEnded(accountId, epoch) ? undefined : { accountId, role };

  return {
    /** E-mail address and password for a bearer token. Throws `UNAVAILABLE` when too many passwords are being checked. */
    signIn: async (email: string, password: string, ip: string): Promise<SignIn> => {
      const checked = await checkLogin({ db, ring }, { email, password, ip }, () => true);
      if (!checked.ok) return checked;
      const { accountId, role, phoneConfirmed, epoch } = checked.credentials;
      return { ok: true, accountId, role, phoneConfirmed, token: tokens.issue({ accountId, role, epoch }) };
    },
    /**
     * The account behind a bearer token; undefined when the token is not valid now. Costs no database read and no turn of the event
     * loop while this process knows which tokens have ended; otherwise waits for that. Throws `UNAVAILABLE` when it cannot be known.
     */
    actorOfToken: (token: string): Actor | undefined | Promise<Actor | undefined> => {
      const claims = tokens.read(token);
      if (!claims) return undefined;
      return epochs.isFresh() ? holder(claims) : epochs.catchUp().then(() => holder(claims));
    },
  };
}

function apiKeys({ db, apiKeySecrets: ring }: IdentityOptions) {
  return {
    /** E-mail address and password for the API key; null whatever it is that fails, in the same time. */
    apiLogin: async (email: string, password: string, ip: string): Promise<ApiLogin | null> => {
      const checked = await checkLogin({ db, ring }, { email, password, ip }, ({ phoneConfirmed }) => phoneConfirmed);
      if (!checked.ok) return null;
      const { accountId, apiKeyVersion: version, name, email: spelling } = checked.credentials;
      return { accountId, email: spelling, name, apiKey: apiKeyFor(ring, { accountId, version }) };
    },
    /** The API key of an account. Throws `NOT_FOUND`. */
    apiKeyOf: async (accountId: string): Promise<string> => {
      const account = await db
        .selectFrom('accounts')
        .select('api_key_version')
        .where('id', '=', accountId)
        .where('deleted_at', 'is', null)
        .executeTakeFirst();
      if (!account) throw notFound('user');
      return apiKeyFor(ring, { accountId, version: account.api_key_version });
    },
    /** The account behind `ApiKey <EMAIL>:<API_KEY>`. Throws `UNAUTHENTICATED`, whatever it is that does not fit. */
    authenticateApiKey: async (header: string | undefined): Promise<Actor> => {
      const given = parseApiKeyHeader(header);
      if (given && isText(given.email)) {
        const {
          exists,
          accountId,
          role,
          phoneConfirmed,
          apiKeyVersion: version,
        } = await credentialsOf(db, given.email, '');
        const matches = isApiKey(ring, { accountId, version }, given.apiKey);
        if (matches && exists && phoneConfirmed) return { accountId, role };
      }
      throw unauthenticated('A valid API key is required.', 'ApiKey realm="malote"');
    },
  };
}
