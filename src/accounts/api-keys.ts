import { createHmac, timingSafeEqual } from 'node:crypto';
import { CompiledQuery } from 'kysely';
import { LRUCache } from 'lru-cache';
import type { Actor, ApiKeyScope, Role } from '../base/actor.js';
import { notFound, unauthenticated } from '../base/errors.js';
import type { Key, KeyRing } from '../base/secrets/keys.js';
import { isText } from '../base/values.js';
import { shareRead } from '../db/share-read.js';
import { present } from './account.js';
import { hashOfSecret } from './secrets.js';
import { type SecondFactorDeps, spendLoginCode } from './sessions/second-factor.js';
import { type Credentials, checkLogin, memberOf, type OnLoginRefused } from './sign-in.js';

/** Maximum number of accounts whose derived keys are kept in memory, as deriving takes time. */
const MAX_DERIVED = 10_000;

/**
 * Matches the end of a marked key. Until 1.8, a database with a CELL above 0 replaced the last four characters of its
 * keys by three digits and `_`. Such keys stay valid: only their other 39 characters are compared. No other key ends in
 * `_`.
 */
const MARK = /\d{3}_$/;
const MARK_LENGTH = 4;

interface RightDigests {
  whole: Buffer;
  /** Digest of the key without the characters that a mark replaces. */
  start: Buffer;
}

/** API keys of GraphQL. An account's derived key is not stored: it is computed from the account and the key ring. */
export interface ApiKeys {
  /**
   * Returns the account's API key to an owner with the right e-mail address and password. An owner with a second factor
   * also needs its code. Returns null for every failure, in the same time. Operators need no code, because their key
   * cannot change credentials.
   */
  apiLogin(email: string, password: string, ip: string, code?: string): Promise<ApiLogin | null>;
  /** Returns the derived key of an account. Throws NOT_FOUND. */
  apiKeyOf(accountId: string): Promise<string>;
  /** Finds the account behind `ApiKey <EMAIL>:<API_KEY>`. Throws `UNAUTHENTICATED` for every failure alike. */
  authenticateApiKey(header: string | undefined): Promise<Actor>;
}

interface ApiLogin {
  accountId: string;
  email: string;
  name: string;
  apiKey: string;
}

interface ApiKeyDeps extends SecondFactorDeps {
  ring: KeyRing;
  onLoginRefused?: OnLoginRefused | undefined;
}

export function createApiKeys(deps: ApiKeyDeps): ApiKeys {
  const { db, ring } = deps;
  const digest = (key: string): Buffer => createHmac('sha256', ring[0].secret).update(key).digest();
  const rightDigests = new LRUCache<string, RightDigests[]>({ max: MAX_DERIVED });

  const rightDigestsOf = (key: string): RightDigests => ({
    whole: digest(key),
    start: digest(key.slice(0, -MARK_LENGTH)),
  });

  /** True for the owner's derived key under any secret of the ring. It takes the same time for any text. */
  const isApiKey = (owner: ApiKeyOwner, text: string): boolean => {
    const name = `${owner.accountId}:${owner.version}`;
    const right = rightDigests.get(name) ?? ring.map((key) => rightDigestsOf(derive(key, owner)));
    rightDigests.set(name, right);
    const isMarked = MARK.test(text);
    const sent = digest(text.replace(MARK, ''));
    return right.map(({ whole, start }) => timingSafeEqual(isMarked ? start : whole, sent)).includes(true);
  };

  const isAdmitted = ({ phoneConfirmed, memberRole, mustEnrol }: Credentials): boolean =>
    phoneConfirmed && (memberRole ?? 'owner') === 'owner' && !mustEnrol;
  const needsCode = ({ role, hasFactor }: Credentials): boolean => role === 'customer' && hasFactor;

  return {
    apiLogin: async (email, password, ip, code) => {
      const admits = (account: Credentials) => isAdmitted(account) && (code !== undefined || !needsCode(account));
      const login = await checkLogin(deps, { email, password, ip }, admits);
      if (!login.ok) return null;
      const { credentials } = login;
      const person = { ...credentials, member: memberOf(credentials) };
      if (code !== undefined && needsCode(credentials) && (await spendLoginCode(deps, person, code, ip))) return null;
      const { accountId, apiKeyVersion: version, name, accountEmail } = credentials;
      return { accountId, email: accountEmail, name, apiKey: derive(ring[0], { accountId, version }) };
    },
    apiKeyOf: async (accountId) => {
      const query = db.selectFrom('accounts').select('api_key_version as version').where(present(accountId));
      const account = await query.executeTakeFirstOrThrow(() => notFound('user'));
      return derive(ring[0], { accountId, ...account });
    },
    authenticateApiKey: async (header) => {
      const pair = parseApiKeyHeader(header);
      if (pair && isText(pair.email)) {
        const { email, apiKey } = pair;
        const holder = await keyHolder(db, { email, hash: hashOfSecret(apiKey) });
        const { accountId, role, isAdmitted, version, previousVersion, keyId: id, scope } = holder;
        const versions = previousVersion === null ? [version] : [version, previousVersion];
        const isDerived = versions.map((each) => isApiKey({ accountId, version: each }, apiKey)).includes(true);
        if (isAdmitted && id && scope) return { accountId, role, apiKey: { id, scope } };
        if (isAdmitted && isDerived) return { accountId, role };
      }
      throw unauthenticated('api_key_invalid', 'A valid API key is required.');
    },
  };
}

/** The values that a key is derived from. A higher version makes every earlier key invalid. */
interface ApiKeyOwner {
  accountId: string;
  version: number;
}

/**
 * The account of an e-mail address. For an unknown address, a stand-in that no key opens, so the refusal takes as long.
 */
interface KeyHolder extends ApiKeyOwner {
  isAdmitted: boolean;
  role: Role;
  /** The previous version while it still overlaps with the new one. */
  previousVersion: number | null;
  /** Id and scope of the sent key, if it is a valid named key. */
  keyId: string | null;
  scope: ApiKeyScope | null;
}

interface SentKey {
  email: string;
  hash: Buffer;
}

const HOLDERS = `
  select
    coalesce(a.id, '00000000-0000-0000-0000-000000000000') as "accountId", coalesce(a.api_key_version, 0) as version,
    case when a.previous_key_version = a.api_key_version - 1 and a.previous_key_until > now()
      then a.previous_key_version end as "previousVersion",
    coalesce(a.role, 'customer') as role, coalesce(a.phone_confirmed, false) as "isAdmitted",
    key.id as "keyId", key.scope
  from unnest($1::text[], $2::bytea[]) with ordinality as sent (email, hash, at)
  left join accounts a on lower(a.email) = lower(sent.email) and a.deleted_at is null
  left join api_keys key on key.hash = sent.hash and key.account_id = a.id
    and key.revoked_at is null and coalesce(key.expires_at > now(), true)
  order by at`;

// A look-up usually takes less. After this time, the next requests no longer wait for it.
const PATIENCE_MS = 5;

const keyHolder = shareRead<SentKey, KeyHolder>(
  async (db, keys) => {
    const columns = [keys.map(({ email }) => email), keys.map(({ hash }) => hash)];
    return (await db.executeQuery<KeyHolder>(CompiledQuery.raw(HOLDERS, columns))).rows;
  },
  { patienceMs: PATIENCE_MS },
);

/**
 * Derives the same key each time (contracts/guides/behaviour.md#identity-and-access). New keys use the ring's first
 * secret.
 */
const derive = ({ secret }: Key, { accountId, version }: ApiKeyOwner): string =>
  createHmac('sha256', secret).update(`${accountId}:${version}`).digest('base64url');

/** Parses `ApiKey <EMAIL>:<API_KEY>`. The e-mail address may contain colons, a key cannot. */
function parseApiKeyHeader(header: string | undefined): { email: string; apiKey: string } | undefined {
  const credentials = /^ApiKey +(\S.*)$/i.exec(header ?? '')?.[1];
  const colon = credentials?.lastIndexOf(':') ?? -1;
  if (credentials === undefined || colon < 1) return undefined;
  return { email: credentials.slice(0, colon), apiKey: credentials.slice(colon + 1).trimEnd() };
}
