import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { strToU8, zipSync } from 'fflate';

/** Core metadata for PyPI, without name and version: https://packaging.python.org/specifications/core-metadata/ */
const METADATA = `Summary: Client of the Malote delivery service: orders, prices, labels and tracking updates.
License-Expression: MIT
License-File: LICENSE
Keywords: delivery,logistics,shipping,tracking
Classifier: Development Status :: 5 - Production/Stable
Classifier: Intended Audience :: Developers
Classifier: Programming Language :: Python :: 3
Classifier: Programming Language :: Python :: 3 :: Only
Classifier: Typing :: Typed
Requires-Python: >=3.10
Requires-Dist: typing_extensions>=4.4; python_version < '3.11'
Provides-Extra: ed25519
Requires-Dist: cryptography>=41; extra == 'ed25519'
Description-Content-Type: text/markdown
`;

/**
 * Packs the package in the folder as a wheel, and returns its path in `target`. The same package always gives the same
 * bytes. Source: https://packaging.python.org/specifications/binary-distribution-format/
 */
export async function wheel(folder: string, version: string, target: string): Promise<string> {
  const info = `malote-${version}.dist-info`;
  const text = (name: string) => readFile(join(folder, name), 'utf8');
  const modules = (await readdir(join(folder, 'malote'))).filter((name) => /\.(py|typed)$/.test(name)).sort();
  const files: Record<string, string> = {};
  for (const name of modules) files[`malote/${name}`] = await text(`malote/${name}`);
  files[`${info}/licenses/LICENSE`] = await text('LICENSE');
  files[`${info}/WHEEL`] = 'Wheel-Version: 1.0\nGenerator: malote\nRoot-Is-Purelib: true\nTag: py3-none-any\n';
  const head = `Metadata-Version: 2.4\nName: malote\nVersion: ${version}\n${METADATA}`;
  files[`${info}/METADATA`] = `${head}\n${await text('README.md')}`;
  const record = Object.entries(files).map(
    ([path, content]) => `${path},${digestOf(content)},${strToU8(content).length}`,
  );
  files[`${info}/RECORD`] = `${[...record, `${info}/RECORD,,`].join('\n')}\n`;
  const entries = Object.entries(files).map(([path, content]) => [path, strToU8(content)]);
  const path = join(target, `malote-${version}-py3-none-any.whl`);
  await writeFile(path, zipSync(Object.fromEntries(entries), { level: 9, mtime: new Date(1980, 0, 1) }));
  return path;
}

const digestOf = (content: string): string => `sha256=${createHash('sha256').update(content).digest('base64url')}`;
