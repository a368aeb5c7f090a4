import { Buffer } from 'node:buffer';
import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createSecretKey,
  hkdfSync,
  timingSafeEqual,
} from 'node:crypto';
import { stringify } from 'uuid';
import type { Key, KeyRing } from '../base/keys.js';
import type { Package } from './package.js';

/** A package, and which of its links: they are numbered from 0, and one at most is valid (`Package.trackingLink`). */
export interface TrackingLink {
  loggiKey: string;
  number: number;
}

/**
 * Links to the tracking pages of packages. They follow from the package and the keys, so that nothing is stored for them. Nobody can
 * make the token of a link, or read the package's key in it, without a key of the ring.
 */
export interface TrackingLinks {
  /** The package's valid link; undefined while it has none. */
  urlOf(tracked: Pick<Package, 'loggiKey' | 'trackingLink'>): string | undefined;
  /** What a token stands for; undefined when no key of the ring made it. Whether that link is valid, the package says. */
  read(token: string): TrackingLink | undefined;
}

/** Path of a link before its token. */
export const TRACKING_PATH = '/t/';

/** The ring's first key makes links, each of them reads them. `publicUrl` has no trailing slash. */
export function createTrackingLinks(publicUrl: string, ring: KeyRing): TrackingLinks {
  const coders = ring.map(tokenCoder);
  const [first] = coders;
  if (!first) throw new RangeError('a key ring is empty');
  return {
    urlOf: ({ loggiKey, trackingLink: number }) =>
      number === null ? undefined : `${publicUrl}${TRACKING_PATH}${first.tokenOf({ loggiKey, number })}`,
    read: (token) => {
      if (!TOKEN.test(token)) return undefined;
      const bytes = Buffer.from(token, 'base64url');
      for (const { read } of coders) {
        const link = read(bytes);
        if (link) return link;
      }
      return undefined;
    },
  };
}

// A token's bytes: name of the key (1), number of the link (3), package's key, encrypted (16), authentication code (16).
const NUMBER_AT = 1;
const PACKAGE_AT = 4;
const CODE_AT = 20;
const BYTES = 36;
/** Those bytes in base64url: no bit is left over, so that one link has one spelling. */
const TOKEN = /^[\w-]{48}$/;

interface TokenCoder {
  tokenOf(link: TrackingLink): string;
  /** Undefined when another key made the token, or none. */
  read(bytes: Buffer): TrackingLink | undefined;
}

/**
 * Of one key. A package's key is one block of AES, whose encryption is a permutation that nobody reads or computes without the
 * key; what that comes to is authenticated by 128 bits of an HMAC.
 */
function tokenCoder({ id, secret }: Key): TokenCoder {
  const [name = 0] = createHash('sha256').update(id).digest();
  const derived = Buffer.from(hkdfSync('sha256', secret, '', 'malote tracking links', 64));
  const blockKey = derived.subarray(0, 32);
  const codeKey = createSecretKey(derived.subarray(32));
  const cipher = createCipheriv('aes-256-ecb', blockKey, null).setAutoPadding(false);
  const decipher = createDecipheriv('aes-256-ecb', blockKey, null).setAutoPadding(false);

  const codeOf = (bytes: Buffer): Buffer =>
    createHmac('sha256', codeKey).update(bytes.subarray(0, CODE_AT)).digest().subarray(0, BYTES - CODE_AT);

  return {
    tokenOf: ({ loggiKey, number }) => {
      const bytes = Buffer.allocUnsafe(BYTES);
      bytes[0] = name;
      bytes.writeUIntBE(number, NUMBER_AT, PACKAGE_AT - NUMBER_AT);
      cipher.update(Buffer.from(loggiKey.replaceAll('-', ''), 'hex')).copy(bytes, PACKAGE_AT);
      codeOf(bytes).copy(bytes, CODE_AT);
      return bytes.toString('base64url');
    },
    read: (bytes) => {
      if (bytes[0] !== name || !timingSafeEqual(codeOf(bytes), bytes.subarray(CODE_AT))) return undefined;
      const loggiKey = stringify(decipher.update(bytes.subarray(PACKAGE_AT, CODE_AT)));
      return { loggiKey, number: bytes.readUIntBE(NUMBER_AT, PACKAGE_AT - NUMBER_AT) };
    },
  };
}
