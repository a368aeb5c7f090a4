/**
 * Makes the client packages of the contracts: npm run clients. Writes the packages for integrators and their SHA-256
 * digests. The built service publishes them below `/docs/clients/`.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Command } from 'commander';
import { readContract, versionOf } from './operations.js';
import { python } from './python/build.js';
import { checkPython } from './python/check.js';
import { wheel } from './python/wheel.js';
import { typescript } from './typescript/build.js';

const packages = fileURLToPath(new URL('../dist/shipped/clients', import.meta.url));

async function tarball(folder: string): Promise<string> {
  const args = ['pack', '--json', '--pack-destination', packages];
  const { stdout } = await promisify(execFile)('npm', args, { cwd: folder });
  const [{ filename }]: [{ filename: string }] = JSON.parse(stdout);
  return join(packages, filename);
}

async function sumOf(path: string): Promise<string> {
  return `${createHash('sha256')
    .update(await readFile(path))
    .digest('hex')}  ${basename(path)}\n`;
}

await new Command('npm run clients --')
  .description('Makes the client packages of the contracts.')
  .option('--check', "have Python's checked by tools of its language, which are installed for that")
  .action(async ({ check }: { check?: true }) => {
    const [folder, version] = [await mkdtemp(join(tmpdir(), 'malote-clients-')), versionOf(await readContract('rest'))];
    const made = { python: join(folder, 'python'), typescript: join(folder, 'typescript') };
    try {
      await rm(packages, { recursive: true, force: true });
      await mkdir(packages, { recursive: true });
      await python(made.python);
      await typescript(made.typescript);
      const installed = [await wheel(made.python, version, packages), await tarball(made.typescript)];
      await writeFile(join(packages, 'SHA256SUMS'), (await Promise.all(installed.map(sumOf))).join(''));
      if (check) await checkPython(made.python, installed[0] ?? '');
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  })
  .parseAsync();
