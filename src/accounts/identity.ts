import { LRUCache } from 'lru-cache';
import type { Actor, ApiKeyScope } from '../base/actor.js';
import type { Clock } from '../base/clock.js';
import { isId } from '../base/ids.js';
import type { KeyRing } from '../base/secrets/keys.js';
import type { Logger } from '../base/telemetry/log.js';
import type { Db } from '../db/connect.js';
import { type ApiKeys, createApiKeys } from './api-keys.js';
import { createEpochs, type Epochs } from './epochs.js';
import { loginBudgets, spendAttempt } from './login-budget.js';
import { keyForExchange } from './named-keys.js';
import { networkHashes, noteNetwork } from './networks.js';
import { isHashOf } from './secrets.js';
import {
  checkLogin,
  dummyHash,
  type LoginRefusal,
  memberOf,
  type OnLoginRefused,
  type SignInResult,
} from './sign-in.js';
import { type AccessToken, type Claims, createTokens, type ReadClaims, type Tokens } from './tokens.js';

export interface IdentityOptions {
  db: Db;
  /** A pool with one connection for reading which tokens have ended. A busy pool then does not delay these reads. */
  pollDb?: Db;
  log: Logger;
  clock: Clock;
  tokenKeys: KeyRing;
  apiKeySecrets: KeyRing;
  encryptionKeys: KeyRing;
  tokenTtlSeconds: number;
  issuer: string;
  onLoginRefused?: OnLoginRefused;
}

interface BearerTokens {
  /** Returns a bearer token without a second factor. Throws `UNAVAILABLE` when too many passwords are being checked. */
  signIn(email: string, password: string, ip: string): Promise<SignedIn | LoginRefusal>;
  /** Checks e-mail address and password for a session. Throws like `signIn`. */
  sessionSignIn(email: string, password: string, ip: string): Promise<SignInResult>;
  /** Returns a token for a person who has just given a code of their second factor. */
  factorToken(person: Pick<Claims, 'accountId' | 'role' | 'epoch' | 'member'>): AccessToken;
  /** Returns a token for the requests of a session. It lives a minute, and requests share it for half a minute. */
  sessionToken(claims: Claims): string;
  /**
   * Finds the account behind a bearer token. Undefined if the token is not valid now. Waits only if this process must
   * first read which tokens have ended. Throws `UNAVAILABLE` if that read fails.
   */
  actorOfToken(token: string): Actor | undefined | Promise<Actor | undefined>;
}

export interface SignedIn extends Pick<Claims, 'accountId' | 'role' | 'epoch' | 'member'> {
  ok: true;
  email: string;
  hasFactor: boolean;
  /** Proves only the password. */
  token: AccessToken;
}

export interface Identity extends BearerTokens, ApiKeys {
  /**
   * Exchanges a named API key for a token with its scope, or with a narrower scope. The token ends with the key. A
   * wrong key counts as a failed login; the key's id takes the place of the e-mail address.
   */
  keyToken(key: KeyCredentials, asked?: ApiKeyScope): Promise<KeyToken>;
  /** Reads the tokens that have just ended. If this fails, the next poll does it. */
  refresh(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

const SESSION_TOKEN_SECONDS = 60;
const MAX_SESSION_TOKENS = 1_000;

/** Handles sign-in, bearer tokens and API keys (contracts/guides/behaviour.md#identity-and-access). */
export function createIdentity(options: IdentityOptions): Identity {
  const {
    db,
    apiKeySecrets,
    encryptionKeys,
    onLoginRefused,
    tokenKeys: keys,
    issuer,
    tokenTtlSeconds: ttlSeconds,
    clock,
  } = options;
  const tokens = createTokens({ keys, issuer, ttlSeconds, clock });
  const epochs = createEpochs(options);
  return {
    ...bearerTokens(options, tokens, epochs),
    keyToken: keyExchange(options, tokens),
    ...createApiKeys({ db, ring: apiKeySecrets, keys: encryptionKeys, clock, onLoginRefused }),
    refresh: () => epochs.refresh().catch(() => undefined),
    start: async () => {
      await Promise.all([epochs.start(), dummyHash()]);
    },
    stop: epochs.stop,
  };
}

function bearerTokens(options: IdentityOptions, tokens: Tokens, epochs: Epochs): BearerTokens {
  const { db, apiKeySecrets: ring, onLoginRefused } = options;
  const sessionTokens = new LRUCache<string, string>({ max: MAX_SESSION_TOKENS, ttl: SESSION_TOKEN_SECONDS * 500 });

  const holder = (claims: ReadClaims): Actor | undefined => {
    const { accountId, role, epoch, withFactor, mustEnrol, tokenId, member, apiKey } = claims;
    if (epochs.hasEnded(accountId, epoch) || (apiKey && epochs.hasEnded(apiKey.id, 0))) return undefined;
    if (member && epochs.hasEnded(member.id, member.epoch)) return undefined;
    const own = member && { id: member.id, role: member.role };
    const account = { accountId, role, ...(own && { member: own }), ...(apiKey && { apiKey }) };
    const signIn = { epoch, ...(member && { memberEpoch: member.epoch }), tokenId };
    return { ...account, withFactor, ...(mustEnrol && { mustEnrol }), signIn };
  };

  return {
    signIn: async (email, password, ip) => {
      const login = await checkLogin({ db, ring, onLoginRefused }, { email, password, ip }, () => true);
      if (!login.ok) return login;
      const { accountId, email: spelling, role, epoch, hasFactor, mustEnrol } = login.credentials;
      const person = { accountId, role, epoch, member: memberOf(login.credentials) };
      const token = tokens.issue({ ...person, withFactor: false, mustEnrol });
      return { ok: true, ...person, email: spelling, hasFactor, token };
    },
    sessionSignIn: (email, password, ip) =>
      checkLogin({ db, ring, onLoginRefused }, { email, password, ip }, () => true),
    factorToken: ({ accountId, role, epoch, member }) =>
      tokens.issue({ accountId, role, epoch, member, withFactor: true }),
    sessionToken: (claims) => {
      const { accountId, epoch, withFactor, mustEnrol, member } = claims;
      const name = [accountId, epoch, withFactor, mustEnrol, member?.id, member?.epoch].join(':');
      const token = sessionTokens.get(name) ?? tokens.issue(claims, SESSION_TOKEN_SECONDS).access_token;
      if (!sessionTokens.has(name)) sessionTokens.set(name, token);
      return token;
    },
    actorOfToken: (token) => {
      const claims = tokens.read(token);
      if (!claims) return undefined;
      return epochs.isFresh() ? holder(claims) : epochs.catchUp().then(() => holder(claims));
    },
  };
}

type KeyToken =
  | { refusal: 'invalid_client' | 'invalid_scope' }
  | { refusal: 'budget'; retryAfterSeconds: number }
  | { refusal?: never; scope: ApiKeyScope; token: AccessToken };

interface KeyCredentials {
  id: string;
  secret: string;
  ip: string;
}

function keyExchange(
  { db, clock, apiKeySecrets, tokenTtlSeconds }: IdentityOptions,
  tokens: Tokens,
): Identity['keyToken'] {
  const secondOf = (time: Date): number => Math.floor(time.getTime() / 1000);
  return async ({ id, secret, ip }, asked) => {
    // No key has such an id, so an early refusal reveals nothing.
    if (!isId(id)) return { refusal: 'invalid_client' };
    const networks = networkHashes(apiKeySecrets, ip);
    const key = await keyForExchange(db, id, networks);
    const secondsLeft = key?.expiresAt ? secondOf(key.expiresAt) - secondOf(clock()) : tokenTtlSeconds;
    const budgets = loginBudgets({ email: id, ip, networkKnown: key?.networkKnown === true });
    const attempt = await spendAttempt(db, budgets, async () => isHashOf(key?.hash, secret) && secondsLeft >= 1);
    if (!attempt.granted) return { refusal: 'budget', retryAfterSeconds: attempt.retryAfterSeconds };
    if (!attempt.succeeded || !key) return { refusal: 'invalid_client' };
    const [network] = networks;
    if (network) await noteNetwork(db, key.accountId, network);
    const { accountId, role, epoch, scope: max } = key;
    const scope = asked ?? max;
    if (scope === 'all' && max !== 'all') return { refusal: 'invalid_scope' };
    const claims = { accountId, role, epoch, withFactor: false, apiKey: { id: key.id, scope } };
    return { scope, token: tokens.issue(claims, Math.min(tokenTtlSeconds, secondsLeft)) };
  };
}
