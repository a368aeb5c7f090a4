import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Key, KeyRing } from '../base/keys.js';

/** What a key is derived from; raising the version makes every earlier key worthless. */
export interface ApiKeyOwner {
  accountId: string;
  version: number;
}

const derive = ({ secret }: Key, { accountId, version }: ApiKeyOwner): Buffer =>
  createHmac('sha256', secret).update(`${accountId}:${version}`).digest();

/** The account's API key: the same each time, never stored (contracts/guides/behaviour.md#identity-and-access). The ring's first secret makes it. */
export const apiKeyFor = ([first]: KeyRing, owner: ApiKeyOwner): string => derive(first, owner).toString('base64url');

/** Whether the text is the owner's key under any secret of the ring; takes the same time whatever the text holds. */
export function isApiKey(ring: KeyRing, owner: ApiKeyOwner, text: string): boolean {
  const given = createHmac('sha256', ring[0].secret).update(text).digest();
  const matches = ring.map((key) => {
    const expected = createHmac('sha256', ring[0].secret).update(derive(key, owner).toString('base64url')).digest();
    return timingSafeEqual(expected, given);
  });
  return matches.includes(true);
}

/** `ApiKey <EMAIL>:<API_KEY>`. The e-mail may hold colons, a key cannot. */
export function parseApiKeyHeader(header: string | undefined): { email: string; apiKey: string } | undefined {
  const credentials = /^ApiKey +(\S.*)$/i.exec(header ?? '')?.[1];
  const colon = credentials?.lastIndexOf(':') ?? -1;
  if (credentials === undefined || colon < 1) return undefined;
  return { email: credentials.slice(0, colon), apiKey: credentials.slice(colon + 1).trimEnd() };
}
