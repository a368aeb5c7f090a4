import { Buffer } from 'node:buffer';
import { createCipheriv, createDecipheriv, createHash, hkdfSync, timingSafeEqual } from 'node:crypto';
import { stringify } from 'uuid';
import type { Key, KeyRing } from '../base/secrets/keys.js';
import type { Package } from './package.js';

/** Purposes of the derived keys. They differ, so a token of one view is not valid in the other. */
const purposes = { recipient: 'malote tracking links', public: 'malote public tracking links' } as const;

/**
 * `recipient` shows everything that the recipient may see. `public` shows only facts for anybody who reads the label.
 */
type TrackingView = keyof typeof purposes;

/** A package's link. In each view links are numbered from 0; at most one is valid (`Package.trackingLink`). */
export interface TrackingLink {
  loggiKey: string;
  number: number;
  view: TrackingView;
}

type Linked = Pick<Package, 'loggiKey' | 'trackingLink'>;

/**
 * Makes and reads links. A link is computed from package and keys: nothing is stored, and reading needs the key ring.
 */
export interface TrackingLinks {
  /** Default of `view`: the recipients' own links. */
  urlsOf(packages: readonly Linked[], view?: TrackingView): (string | undefined)[];
  urlOf(tracked: Linked, view?: TrackingView): string | undefined;
  /** Reads the token of a link without a query. Returns undefined for any other text. */
  read(token: string): TrackingLink | undefined;
}

export const TRACKING_PATH = '/t/';

/** Creates the links. The first key makes links, every key reads them. `publicUrl` has no trailing slash. */
export function createTrackingLinks(publicUrl: string, ring: KeyRing): TrackingLinks {
  const makers = { recipient: tokenCoder(ring[0], 'recipient'), public: tokenCoder(ring[0], 'public') };
  const formerCoders = ring.slice(1).flatMap((key) => [tokenCoder(key, 'recipient'), tokenCoder(key, 'public')]);
  const coders = [makers.recipient, makers.public, ...formerCoders];

  const urlsOf: TrackingLinks['urlsOf'] = (packages, view = 'recipient') => {
    const tokens = makers[view].tokensOf(
      packages.map(({ loggiKey, trackingLink }) => ({ loggiKey, number: trackingLink ?? 0 })),
    );
    return packages.map(({ trackingLink }, at) =>
      trackingLink === null ? undefined : `${publicUrl}${TRACKING_PATH}${tokens[at]}`,
    );
  };

  return {
    urlsOf,
    urlOf: (tracked, view) => urlsOf([tracked], view)[0],
    read: (token) => {
      if (!TOKEN.test(token)) return undefined;
      const bytes = Buffer.from(token, 'base64url');
      return coders.map(({ read }) => read(bytes)).find((link) => link);
    },
  };
}

// Bytes of a token: name of the key (1), mark (1), number of the link (5), package's encrypted key (16), code (16). The
// mark is 0. Before 1.8 it was the value of CELL, and such links stay valid.
const MARK_AT = 1;
const NUMBER_AT = 2;
const HEAD_BYTES = 7;
const CODE_AT = 23;
const BYTES = 39;
/** A token in base64url. It uses every bit, so each link has exactly one spelling. */
const TOKEN = /^[\w-]{52}$/;

const BLOCK_BYTES = 16;

interface TokenCoder {
  tokensOf(links: readonly Omit<TrackingLink, 'view'>[]): string[];
  /** Undefined if another key made the token, or if the token is not genuine. */
  read(bytes: Buffer): TrackingLink | undefined;
}

/**
 * Makes and reads tokens. A package's key is one block of AES, a permutation that only a holder of the key can compute.
 * The code is the CBC-MAC of head and package's key under another key. It has 128 bits, and is safe because all
 * messages have two blocks. The tokens of an order share the calls of the ciphers; an HMAC per token would cost as much
 * as reading the order.
 */
function tokenCoder({ id, secret }: Key, view: TrackingView): TokenCoder {
  const [name = 0] = createHash('sha256').update(id).digest();
  const derived = Buffer.from(hkdfSync('sha256', secret, '', purposes[view], 64));
  const [blockKey, codeKey] = [derived.subarray(0, 32), derived.subarray(32)];
  const encryption = createCipheriv('aes-256-ecb', blockKey, null).setAutoPadding(false);
  const decryption = createDecipheriv('aes-256-ecb', blockKey, null).setAutoPadding(false);
  const code = createCipheriv('aes-256-ecb', codeKey, null).setAutoPadding(false);

  /** A head, and the CBC-MAC after its block. */
  const chainOf = (number: number, mark = 0) => {
    const head = Buffer.alloc(BLOCK_BYTES);
    head[0] = name;
    head[MARK_AT] = mark;
    head.writeUIntBE(number, NUMBER_AT, HEAD_BYTES - NUMBER_AT);
    return { head, chained: code.update(head) };
  };
  // Kept, because few links have another number.
  const first = chainOf(0);

  return {
    tokensOf: (links) => {
      const chains = links.map(({ number }) => (number === 0 ? first : chainOf(number)));
      const keys = Buffer.allocUnsafe(BLOCK_BYTES * links.length);
      for (const [at, { loggiKey }] of links.entries())
        keys.write(loggiKey.replaceAll('-', ''), BLOCK_BYTES * at, 'hex');
      const encrypted = encryption.update(keys);
      for (const [at, { chained }] of chains.entries()) mix(keys, BLOCK_BYTES * at, chained);
      const codes = code.update(keys);
      const token = Buffer.allocUnsafe(BYTES);
      return chains.map(({ head }, at) => {
        const [from, to] = [BLOCK_BYTES * at, BLOCK_BYTES * (at + 1)];
        head.copy(token, 0, 0, HEAD_BYTES);
        encrypted.copy(token, HEAD_BYTES, from, to);
        codes.copy(token, CODE_AT, from, to);
        return token.toString('base64url');
      });
    },
    read: (bytes) => {
      if (bytes[0] !== name) return undefined;
      const number = bytes.readUIntBE(NUMBER_AT, HEAD_BYTES - NUMBER_AT);
      const key = decryption.update(bytes.subarray(HEAD_BYTES, CODE_AT));
      const block = Buffer.from(key);
      mix(block, 0, chainOf(number, bytes[MARK_AT]).chained);
      return timingSafeEqual(code.update(block), bytes.subarray(CODE_AT))
        ? { loggiKey: stringify(key), number, view }
        : undefined;
    },
  };
}

function mix(bytes: Buffer, offset: number, block: Buffer): void {
  for (let at = 0; at < BLOCK_BYTES; at += 1) bytes[offset + at] = (bytes[offset + at] ?? 0) ^ (block[at] ?? 0);
}
