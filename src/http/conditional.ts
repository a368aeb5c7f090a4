import { invalid } from '../base/errors.js';

/**
 * Conditional requests (RFC 9110, 13). A record's strong ETag is its version. `If-Match` belongs in the UPDATE's own
 * predicate: checked before it, an update in between would be lost. A proxy that compresses makes an ETag weak (nginx)
 * or adds a suffix (Apache); the version in it is the record's all the same.
 */

const LIST = /^\s*(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"(?:\s*,\s*(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")*\s*$/;
const VERSION = /"(\d{1,9})(?:[-;](?:gzip|br|deflate|zstd))?"/g;

export const etagOf = (version: number): string => `"${version}"`;

export const etagHeader = ({ version }: { readonly version: number }) => ({ ETag: etagOf(version) });

/**
 * The versions that `If-Match` names, foreign tags left out; undefined without the header or for `*`, as an absent
 * record is 404 anyway. Throws `VALIDATION_ERROR` for anything but a list of tags.
 */
export function ifMatchOf(header: string | undefined): readonly number[] | undefined {
  if (header === undefined || header.trim() === '*') return undefined;
  if (!LIST.test(header))
    throw invalid([{ field: 'If-Match', code: 'pattern', message: 'must be * or a list of quoted ETags' }]);
  return versionsIn(header);
}

/** The latest version that `If-None-Match` names: only that one can still be the record's. */
export function knownVersionOf(header: string | undefined): number | undefined {
  const versions = versionsIn(header ?? '');
  return versions.length > 0 ? Math.max(...versions) : undefined;
}

const versionsIn = (header: string): number[] => [...header.matchAll(VERSION)].map(([, version]) => Number(version));

/** A list of tags, those of versions as the service writes them. */
export const withPlainTags = (header: string): string => header.replaceAll(VERSION, '"$1"');
