import { invalid } from '../base/errors.js';

/**
 * Conditional requests (RFC 9110, 13). A record's strong ETag is its version. `If-Match` belongs in the UPDATE's own
 * predicate: checked before it, an update in between would be lost.
 */

const LIST = /^\s*(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"(?:\s*,\s*(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")*\s*$/;
const VERSION = /(?<!W\/)"(\d{1,15})"/g;

export const etagOf = (version: number): string => `"${version}"`;

export const etagHeader = ({ version }: { readonly version: number }) => ({ ETag: etagOf(version) });

/**
 * The versions that `If-Match` names, weak and foreign tags left out; undefined without the header or for `*`, as an
 * absent record is 404 anyway. Throws `VALIDATION_ERROR` for anything but a list of tags.
 */
export function ifMatchOf(header: string | undefined): readonly number[] | undefined {
  if (header === undefined || header.trim() === '*') return undefined;
  if (!LIST.test(header))
    throw invalid([{ field: 'If-Match', code: 'pattern', message: 'must be * or a list of quoted ETags' }]);
  return [...header.matchAll(VERSION)].map(([, version]) => Number(version));
}

const ANY_VERSION = /"(\d{1,9})"/g;

/** The latest version that `If-None-Match` names: only that one can still be the record's. */
export function knownVersionOf(header: string | undefined): number | undefined {
  const versions = [...(header ?? '').matchAll(ANY_VERSION)].map(([, version]) => Number(version));
  return versions.length > 0 ? Math.max(...versions) : undefined;
}
