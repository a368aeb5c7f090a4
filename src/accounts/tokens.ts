import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import jwt from 'jsonwebtoken';
import { LRUCache } from 'lru-cache';
import { type Actor, type ApiKeyScope, type MemberRole, memberRoles, type Role } from '../base/actor.js';
import type { Clock } from '../base/clock.js';
import { isId } from '../base/ids.js';
import type { Key, KeyRing } from '../base/secrets/keys.js';
import { fieldsOf } from '../base/values.js';

interface TokenOptions {
  /** The first key signs; each of them verifies. */
  keys: KeyRing;
  issuer: string;
  ttlSeconds: number;
  clock: Clock;
}

export interface Claims {
  accountId: string;
  role: Role;
  /** The account's epoch when the token was issued; see epochs.ts. */
  epoch: number;
  withFactor: boolean;
  /** True if the account demands a second factor and the person has none. The token then only allows to set one up. */
  mustEnrol?: boolean;
  /** The member who signed in, with the member's own epoch. */
  member?: { readonly id: string; readonly role: MemberRole; readonly epoch: number } | undefined;
  /** The named key that was exchanged for the token, and the scope of the token. */
  apiKey?: Actor['apiKey'];
}

export interface ReadClaims extends Claims {
  tokenId: string;
}

/** A token answer with the names of RFC 6749, 5.1 and of the contracts. */
export interface AccessToken {
  access_token: string;
  token_type: 'Bearer';
  expires_in: number;
}

/** The content of a token with a valid signature. Times are seconds since 1970. */
type Verified = NonNullable<ReturnType<typeof toVerified>>;

// Maximum number of verified tokens in memory. A client sends a token many times, and its signature is checked once.
const MAX_VERIFIED = 10_000;

const ALGORITHM = 'HS256';
const AUDIENCE = 'malote';
/** Audience of members' tokens. Release 1.9 knows no roles of members, so it must not accept these tokens. */
const MEMBER_AUDIENCE = 'malote-members';
/**
 * Audience of tokens that only allow to set up a second factor. Release 1.10 would allow them everything, so it must
 * not accept them.
 */
const ENROLMENT_AUDIENCE = 'malote-enrolment';
/** Audience of the tokens of named API keys (claims as in RFC 9068). */
const KEY_AUDIENCE = 'malote-rest';
const ID_BYTES = 12;
// `amr` says how the holder was authenticated, with the values of RFC 8176. A recovery code is a one-time password too.
const PASSWORD = 'pwd';
const FACTOR = 'otp';
// The type of RFC 9068. A JWT for another purpose, signed with the same key, is not accepted as an access token.
const TYPE = 'at+jwt';

/** Signs and verifies access tokens: JWT, HS256 (contracts/guides/behaviour.md#identity-and-access; RFC 8725). */
export interface Tokens {
  issue(claims: Claims, seconds?: number): AccessToken;
  /** Reads a token. Undefined unless this service signed it for this purpose and it has not expired. */
  read(token: string): ReadClaims | undefined;
}

export function createTokens({ keys, issuer, ttlSeconds, clock }: TokenOptions): Tokens {
  const [first] = keys;
  const signing = createSecretKey(first.secret);
  const verifying = new Map<string, KeyObject>(keys.map((key) => [headerOf(key), createSecretKey(key.secret)]));
  const verified = new LRUCache<string, Verified>({ max: MAX_VERIFIED });
  const now = () => Math.floor(clock().getTime() / 1000);

  const issue = (holder: Claims, seconds = ttlSeconds): AccessToken => {
    const iat = now();
    const jti = randomBytes(ID_BYTES).toString('base64url');
    const { accountId: sub, role, epoch, member } = holder;
    const claims = { sub, role, epoch, ...(member && { member }), ...proofOf(holder) };
    const terms = { jti, iss: issuer, iat, exp: iat + seconds };
    return {
      access_token: sign({ ...claims, ...terms }, first.id, signing),
      token_type: 'Bearer',
      expires_in: seconds,
    };
  };

  const read = (token: string): ReadClaims | undefined => {
    const signed = verified.get(token) ?? verify(token);
    // The configured lifetime may have become shorter since the token was issued, so it bounds the token, too.
    const expiresAt = signed ? Math.min(signed.expiresAt, signed.issuedAt + ttlSeconds) : 0;
    return expiresAt > now() ? signed?.claims : undefined;
  };

  const verify = (token: string): Verified | undefined => {
    const key = verifying.get(token.slice(0, token.indexOf('.')));
    if (!key) return undefined;
    try {
      const options: jwt.VerifyOptions = {
        algorithms: [ALGORITHM],
        issuer,
        audience: [AUDIENCE, MEMBER_AUDIENCE, ENROLMENT_AUDIENCE, KEY_AUDIENCE],
      };
      const signed = toVerified(jwt.verify(token, key, { ...options, clockTimestamp: now() }));
      verified.set(token, signed);
      return signed;
    } catch (error) {
      if (error instanceof jwt.JsonWebTokenError) return undefined;
      throw error;
    }
  };

  return { issue, read };
}

function proofOf({ apiKey, member, withFactor, mustEnrol }: Claims) {
  if (apiKey) return { aud: KEY_AUDIENCE, client_id: apiKey.id, scope: apiKey.scope };
  if (mustEnrol) return { aud: ENROLMENT_AUDIENCE, amr: [PASSWORD] };
  return { aud: member ? MEMBER_AUDIENCE : AUDIENCE, amr: withFactor ? [PASSWORD, FACTOR] : [PASSWORD] };
}

const sign = (claims: object, keyid: string, key: KeyObject): string =>
  jwt.sign(claims, key, { algorithm: ALGORITHM, keyid, header: { alg: ALGORITHM, typ: TYPE } });

// The whole encoded header is compared. So algorithm, type and key id are fixed before any part of the token is parsed.
function headerOf({ id, secret }: Key): string {
  const token = sign({}, id, createSecretKey(secret));
  return token.slice(0, token.indexOf('.'));
}

function toVerified(payload: string | jwt.JwtPayload) {
  if (typeof payload === 'string') return undefined;
  const { sub, exp, iat, jti: tokenId } = payload;
  const role: unknown = payload['role'];
  const epoch: unknown = payload['epoch'];
  if (sub === undefined || !isId(sub) || tokenId === undefined || exp === undefined || iat === undefined)
    return undefined;
  if (role !== 'operator' && role !== 'customer') return undefined;
  // Until 1.8, a database with a CELL above 0 could share keys and issuer with this one. Its accounts are others.
  if (payload['cell'] !== undefined) return undefined;
  if (typeof epoch !== 'number' || !Number.isSafeInteger(epoch)) return undefined;
  const amr: unknown = payload['amr'];
  const withFactor = Array.isArray(amr) && amr.includes(FACTOR);
  const member = payload['member'] === undefined ? undefined : toMember(payload['member']);
  if (member === null) return undefined;
  const mustEnrol = payload.aud === ENROLMENT_AUDIENCE;
  const claims: ReadClaims = { accountId: sub, role, epoch, withFactor, mustEnrol, member, tokenId };
  const times = { issuedAt: iat, expiresAt: exp };
  if (mustEnrol) return { claims, ...times };
  if ((payload.aud === MEMBER_AUDIENCE) !== (member !== undefined)) return undefined;
  if (payload.aud !== KEY_AUDIENCE) return { claims, ...times };
  const { client_id: id, scope } = payload;
  return isId(id) && isApiKeyScope(scope) ? { claims: { ...claims, apiKey: { id, scope } }, ...times } : undefined;
}

/** Reads the claim `member`. Null for a value that this service never writes. */
function toMember(value: unknown): Claims['member'] | null {
  const { id, role: name, epoch } = fieldsOf(value);
  const role = memberRoles.find((each) => each === name);
  if (typeof id !== 'string' || !isId(id) || role === undefined) return null;
  return typeof epoch === 'number' && Number.isSafeInteger(epoch) ? { id, role, epoch } : null;
}

export const isApiKeyScope = (scope: unknown): scope is ApiKeyScope => scope === 'read' || scope === 'all';
