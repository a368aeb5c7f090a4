import { mkdir, readdir, rm, symlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { build } from 'esbuild';

const isSource = (path: string): boolean => /\.tsx?$/.test(path);

/** Makes JavaScript of the service, once for a run: a process that starts from it needs half the CPU. */
export async function compileService(): Promise<void> {
  // Within the project, where its dependencies are found.
  const folder = resolve(`node_modules/.cache/malote-tests/${process.pid}`);
  const files = (await Promise.all(['src', 'generated'].map(filesIn))).flat();
  await build({
    entryPoints: files.filter(isSource),
    outdir: folder,
    outbase: '.',
    platform: 'node',
    format: 'esm',
    sourcemap: true,
    logLevel: 'warning',
  });
  const others = [...files.filter((path) => !isSource(path)), 'contracts', 'package.json', 'CHANGELOG.md'];
  for (const path of others) await link(path, join(folder, path));
  process.env['MALOTE_TEST_BUILD'] = folder;
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

async function link(path: string, at: string): Promise<void> {
  await mkdir(dirname(at), { recursive: true });
  await symlink(resolve(path), at);
}

export const removeCompiled = (): Promise<void> =>
  rm(process.env['MALOTE_TEST_BUILD'] ?? '', { recursive: true, force: true });
