import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';

export const SERVICE = 'dist/src/api.js';

export async function demandBuild(): Promise<void> {
  if (!existsSync(SERVICE)) throw new Error(`${SERVICE} is missing: npm run build`);
  const built = (await stat(SERVICE)).mtimeMs;
  const sources = (await readdir('src', { recursive: true })).filter((name) => /\.tsx?$/.test(name));
  const ages = await Promise.all(sources.map(async (name) => (await stat(join('src', name))).mtimeMs));
  if (ages.some((age) => age > built)) console.log('Note: src/ is newer than dist/: npm run build');
}

/**
 * Imports a bundled script with the service's code, as in production. Unbundled, tsx names each closure when it is
 * made.
 */
export async function importBundled(script: string) {
  const outfile = resolve('dist/bench', `${basename(script, '.ts')}.mjs`);
  const form = { platform: 'node', format: 'esm', target: 'node24', packages: 'external' } as const;
  await build({ entryPoints: [script], outfile, bundle: true, sourcemap: true, ...form });
  return import(outfile);
}

/** The programs that a bench runs beside the service. */
type Peer = 'fastify' | 'graphile-worker' | 'mercurius' | 'postgraphile';

/**
 * Resolves to the script of a peer. Installs the peer's packages beside it on first use, at the versions of
 * lab/package.json. Their own dependencies have the versions of the date there. Packages that the project also uses are
 * the project's.
 */
export async function demandPeer(name: Peer): Promise<string> {
  const folder = `lab/bench/peers/${name}`;
  const { peers }: { peers: Record<Peer, string[]> & { asOf: string } } = JSON.parse(
    await readFile('lab/package.json', 'utf8'),
  );
  if (!existsSync(`${folder}/node_modules/${name}`)) {
    const options = ['--no-save', '--no-package-lock', '--legacy-peer-deps', '--engine-strict=false'];
    const args = ['install', '--prefix', folder, `--before=${peers.asOf}`, ...options, ...peers[name]];
    await promisify(execFile)('npm', args);
  }
  return `${folder}/server.mjs`;
}
