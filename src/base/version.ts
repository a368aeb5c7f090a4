import { readFileSync } from 'node:fs';
import packageJson from '../../package.json' with { type: 'json' };
import { root } from './root.js';

export const { version } = packageJson;

const oldestNode = Number(/\d+/.exec(packageJson.engines.node)?.[0]);

/** A sentence to refuse a version of Node older than `engines` in package.json. Undefined for any other version. */
export function nodeRefusal(node: string): string | undefined {
  if (Number.parseInt(node, 10) >= oldestNode) return undefined;
  return `Malote needs Node.js ${oldestNode} or newer, and this is ${node}.`;
}

/** The commit of this build, from a file of the build. `unknown` in a checkout. */
export const commit = readCommit(new URL('commit', root));

export function readCommit(file: URL): string {
  try {
    return /^[0-9a-f]{7,40}(-dirty)?$/.exec(readFileSync(file, 'utf8').trim())?.[0] ?? 'unknown';
  } catch {
    return 'unknown';
  }
}
