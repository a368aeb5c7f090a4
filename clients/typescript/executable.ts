import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

/** Writes `cli.js` as one file with all its imports, and the licences of the imported packages. */
export async function executable(folder: string): Promise<void> {
  const project = fileURLToPath(new URL('../../', import.meta.url));
  const { metafile } = await build({
    absWorkingDir: project,
    entryPoints: ['clients/typescript/cli.ts'],
    outfile: join(folder, 'cli.js'),
    bundle: true,
    minifySyntax: true,
    minifyWhitespace: true,
    metafile: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    legalComments: 'none',
    // Bundled CommonJS packages call `require` for modules of Node.
    banner: { js: "import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);" },
    logLevel: 'warning',
  });
  const packages = new Set(Object.keys(metafile.inputs).flatMap((path) => PACKAGE.exec(path)?.[0] ?? []));
  const notices = await Promise.all([...packages].sort().map((path) => noticeOf(join(project, path))));
  await writeFile(join(folder, 'THIRD_PARTY_NOTICES'), notices.join('\n'));
}

/** Matches the folder of the package that contains a module. */
const PACKAGE = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/;

const licenceFiles = ['LICENSE', 'LICENSE.md', 'LICENSE.txt', 'license', 'license.md', 'LICENCE', 'Licence'];

async function noticeOf(folder: string): Promise<string> {
  const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const texts = await Promise.all(licenceFiles.map((file) => readFile(join(folder, file), 'utf8').catch(() => '')));
  return `${name} ${version} (${license})\n\n${texts.find((text) => text !== '')?.trim() ?? ''}\n`;
}
