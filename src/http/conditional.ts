import { invalid } from '../base/errors.js';

/**
 * Implements conditional requests (RFC 9110, 13). A record's strong ETag is its version. Check `If-Match` in the
 * condition of the UPDATE itself: an earlier check would lose an update in between. A compressing proxy may make an
 * ETag weak (nginx) or add a suffix (Apache). The version inside stays valid.
 */

const LIST = /^\s*(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"(?:\s*,\s*(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*")*\s*$/;
const VERSION = /"(\d{1,9})(?:[-;](?:gzip|br|deflate|zstd))?"/g;

export const etagOf = (version: number): string => `"${version}"`;

export const etagHeader = ({ version }: { readonly version: number }) => ({ ETag: etagOf(version) });

/**
 * Reads the versions in `If-Match`; tags of other services are ignored. Undefined without the header or for `*`,
 * because a missing record is 404 anyway. Throws `VALIDATION_ERROR` for anything but a list of tags.
 */
export function ifMatchOf(header: string | undefined): readonly number[] | undefined {
  if (header === undefined || header.trim() === '*') return undefined;
  if (!LIST.test(header))
    throw invalid([{ field: 'If-Match', code: 'pattern', message: 'must be * or a list of quoted ETags' }]);
  return versionsIn(header);
}

/** The latest version in `If-None-Match`. An older version cannot be the record's present one. */
export function knownVersionOf(header: string | undefined): number | undefined {
  const versions = versionsIn(header ?? '');
  return versions.length > 0 ? Math.max(...versions) : undefined;
}

const versionsIn = (header: string): number[] => [...header.matchAll(VERSION)].map(([, version]) => Number(version));

/** Rewrites the version tags in the list as the service writes them. */
export const withPlainTags = (header: string): string => header.replaceAll(VERSION, '"$1"');
