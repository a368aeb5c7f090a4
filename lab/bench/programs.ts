import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

export const SERVICE = 'dist/src/api.js';

export async function demandBuild(): Promise<void> {
  if (!existsSync(SERVICE)) throw new Error(`${SERVICE} is missing: npm run build`);
  const built = (await stat(SERVICE)).mtimeMs;
  const sources = (await readdir('src', { recursive: true })).filter((name) => /\.tsx?$/.test(name));
  const ages = await Promise.all(sources.map(async (name) => (await stat(join('src', name))).mtimeMs));
  if (ages.some((age) => age > built)) console.log('Note: src/ is newer than dist/: npm run build');
}

/** The script of a peer. What lab/package.json lists to be installed on use is installed beside it, at these very versions. */
export async function demandPeer(name: string): Promise<string> {
  const folder = `lab/bench/peers/${name}`;
  const { installedOnUse }: { installedOnUse: Record<string, string[]> } = JSON.parse(
    await readFile('lab/package.json', 'utf8'),
  );
  const packages = installedOnUse[name];
  if (packages && !existsSync(`${folder}/node_modules/${name}`)) {
    const options = ['--no-save', '--no-package-lock', '--engine-strict=false', '--no-audit', '--no-fund'];
    await promisify(execFile)('npm', ['install', '--prefix', folder, ...options, ...packages]);
  }
  return `${folder}/server.mjs`;
}
