import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** What the benches run beside themselves: the built service, and a peer that is no part of the project. */

export const SERVICE = 'dist/src/api.js';

export async function demandBuild(): Promise<void> {
  if (!existsSync(SERVICE)) throw new Error(`${SERVICE} is missing: npm run build`);
  const built = (await stat(SERVICE)).mtimeMs;
  const sources = (await readdir('src', { recursive: true })).filter((name) => /\.tsx?$/.test(name));
  const ages = await Promise.all(sources.map(async (name) => (await stat(join('src', name))).mtimeMs));
  if (ages.some((age) => age > built)) console.log('Note: src/ is newer than dist/: npm run build');
}

/** The script of the peer; its packages live beside it, and are installed on first use as `install` says. */
export async function demandPeer(name: string, install: readonly string[]): Promise<string> {
  const folder = `lab/bench/peers/${name}`;
  if (!existsSync(`${folder}/node_modules/${name}`)) {
    const options = ['--prefix', folder, '--engine-strict=false', '--no-audit', '--no-fund'];
    await promisify(execFile)('npm', [...install, ...options]);
  }
  return `${folder}/server.mjs`;
}
