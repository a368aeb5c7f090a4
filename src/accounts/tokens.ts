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
  /** The account demands a second factor, and the person has none: the token only sets one up. */
  mustEnrol?: boolean;
  /** The member who signed in, with the member's own epoch. */
  member?: { readonly id: string; readonly role: MemberRole; readonly epoch: number } | undefined;
  /** The named key that was exchanged for the token, with the token's scope. */
  apiKey?: Actor['apiKey'];
}

export interface ReadClaims extends Claims {
  tokenId: string;
}

/** As RFC 6749, 5.1 and the contracts name it. */
export interface AccessToken {
  access_token: string;
  token_type: 'Bearer';
  expires_in: number;
}

/** A token whose signature is good; times in seconds since 1970. */
type Verified = NonNullable<ReturnType<typeof toVerified>>;

// Bounds the memory: a client sends one token again and again, and its signature need not be checked each time.
const MAX_VERIFIED = 10_000;

const ALGORITHM = 'HS256';
const AUDIENCE = 'malote';
/** Audience of members' tokens: release 1.9, which knows no roles of members, takes them for no account's. */
const MEMBER_AUDIENCE = 'malote-members';
/** Audience of tokens that only set a second factor up: release 1.10, which would let them do all, takes none. */
const ENROLMENT_AUDIENCE = 'malote-enrolment';
/** Audience of API keys' tokens (claims as in RFC 9068). */
const KEY_AUDIENCE = 'malote-rest';
const ID_BYTES = 12;
// `amr` says how the holder was authenticated, with the values of RFC 8176. A recovery code is a one-time password too.
const PASSWORD = 'pwd';
const FACTOR = 'otp';
// RFC 9068's type: a JWT that was signed with the same key for another purpose is not taken for an access token.
const TYPE = 'at+jwt';

/** Signs and verifies access tokens: JWT, HS256 (contracts/guides/behaviour.md#identity-and-access; RFC 8725). */
export interface Tokens {
  issue(claims: Claims, seconds?: number): AccessToken;
  /** Undefined unless this service signed the token for this purpose and it has not expired. */
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
    // The lifetime may have been longer when the token was issued: the one in force bounds it too.
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

// Looking up the whole header pins algorithm, type and key id before anything of the token is parsed.
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
  // Databases with a CELL above 0, until 1.8, may share keys and issuer; their accounts are not those of this database.
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

/** Reads the claim `member`; null for a value that this service does not write. */
function toMember(value: unknown): Claims['member'] | null {
  const { id, role: name, epoch } = fieldsOf(value);
  const role = memberRoles.find((each) => each === name);
  if (typeof id !== 'string' || !isId(id) || role === undefined) return null;
  return typeof epoch === 'number' && Number.isSafeInteger(epoch) ? { id, role, epoch } : null;
}

export const isApiKeyScope = (scope: unknown): scope is ApiKeyScope => scope === 'read' || scope === 'all';
