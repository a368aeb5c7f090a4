import { readFileSync } from 'node:fs';
import packageJson from '../../package.json' with { type: 'json' };
import { root } from './root.js';

export const { version } = packageJson;

const oldestNode = Number(/\d+/.exec(packageJson.engines.node)?.[0]);

/** Says that a version of Node is too old for this release, by `engines` of package.json; undefined when it is not. */
export function nodeRefusal(node: string): string | undefined {
  if (Number.parseInt(node, 10) >= oldestNode) return undefined;
  return `Malote needs Node.js ${oldestNode} or newer, and this is ${node}.`;
}

/** The commit that this build was made of, from the file that the build writes; `unknown` in a checkout. */
export const commit = readCommit(new URL('commit', root));

export function readCommit(file: URL): string {
  try {
    return /^[0-9a-f]{7,40}(-dirty)?$/.exec(readFileSync(file, 'utf8').trim())?.[0] ?? 'unknown';
  } catch {
    return 'unknown';
  }
}
