import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Actor } from '../base/actor.js';
import { notFound, unauthenticated } from '../base/errors.js';
import type { Key, KeyRing } from '../base/keys.js';
import { isText } from '../base/values.js';
import type { Db } from '../db/connect.js';
import { checkLogin, credentialsOf } from './sign-in.js';

export interface ApiLogin {
  accountId: string;
  email: string;
  name: string;
  apiKey: string;
}

/** API keys and who sends them. A key is never stored: it follows from the account and a secret of the ring. */
export function createApiKeys({ db, ring }: { db: Db; ring: KeyRing }) {
  return {
    /** E-mail address and password for the API key; null whatever it is that fails, in the same time. */
    apiLogin: async (email: string, password: string, ip: string): Promise<ApiLogin | null> => {
      const login = await checkLogin({ db, ring }, { email, password, ip }, ({ phoneConfirmed }) => phoneConfirmed);
      if (!login.ok) return null;
      const { accountId, apiKeyVersion: version, name, email: spelling } = login.credentials;
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
      const pair = parseApiKeyHeader(header);
      if (pair && isText(pair.email)) {
        const account = await credentialsOf(db, pair.email, '');
        const { exists, accountId, role, phoneConfirmed, apiKeyVersion: version } = account;
        const matches = isApiKey(ring, { accountId, version }, pair.apiKey);
        if (matches && exists && phoneConfirmed) return { accountId, role };
      }
      throw unauthenticated('A valid API key is required.', 'ApiKey realm="malote"');
    },
  };
}

/** What a key is derived from; raising the version makes every earlier key worthless. */
interface ApiKeyOwner {
  accountId: string;
  version: number;
}

const derive = ({ secret }: Key, { accountId, version }: ApiKeyOwner): Buffer =>
  createHmac('sha256', secret).update(`${accountId}:${version}`).digest();

/** The account's API key: the same each time (contracts/guides/behaviour.md#identity-and-access). The ring's first secret makes it. */
const apiKeyFor = ([first]: KeyRing, owner: ApiKeyOwner): string => derive(first, owner).toString('base64url');

/** Whether the text is the owner's key under any secret of the ring; takes the same time whatever the text holds. */
function isApiKey(ring: KeyRing, owner: ApiKeyOwner, text: string): boolean {
  const digest = (key: string) => createHmac('sha256', ring[0].secret).update(key).digest();
  const sent = digest(text);
  const matches = ring.map((key) => timingSafeEqual(digest(derive(key, owner).toString('base64url')), sent));
  return matches.includes(true);
}

/** `ApiKey <EMAIL>:<API_KEY>`. The e-mail may hold colons, a key cannot. */
function parseApiKeyHeader(header: string | undefined): { email: string; apiKey: string } | undefined {
  const credentials = /^ApiKey +(\S.*)$/i.exec(header ?? '')?.[1];
  const colon = credentials?.lastIndexOf(':') ?? -1;
  if (credentials === undefined || colon < 1) return undefined;
  return { email: credentials.slice(0, colon), apiKey: credentials.slice(colon + 1).trimEnd() };
}
