import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises';
import { parseJson } from '../../src/base/values.js';
import { isObject } from './files.js';

/**
 * Keeps the output of slow generators beside its input, so that a run repeats only generators whose part of a contract
 * has changed. `--check` keeps nothing and takes nothing.
 */
const project = new URL('../../', import.meta.url);
const folder = new URL('node_modules/.cache/codegen/', project);

const isOff = process.argv.includes('--check');

/** Gives what the same code and packages made of the same inputs before; else it runs `make`, and keeps its text. */
export async function kept(name: string, inputs: unknown, make: () => Promise<string>): Promise<string> {
  const tools = isOff ? undefined : await toolsHash();
  if (tools === undefined) return make();
  const key = createHash('sha256')
    .update(JSON.stringify([tools, inputs]))
    .digest('hex');
  const file = new URL(`${name}.json`, folder);
  const before = parseJson(await readFile(file, 'utf8').catch(() => ''));
  if (isObject(before) && before['key'] === key && typeof before['text'] === 'string') return before['text'];
  const text = await make();
  await mkdir(folder, { recursive: true });
  // Whole or not at all, also when two runs write it at once.
  const own = new URL(`${name}.${process.pid}`, folder);
  await writeFile(own, JSON.stringify({ key, text }));
  await rename(own, file);
  return text;
}

let hash: Promise<string | undefined> | undefined;

/** Hash of the generator's own code and of the installed packages; undefined when npm did not list those. */
const toolsHash = (): Promise<string | undefined> => {
  hash ??= hashOf().catch(() => undefined);
  return hash;
};

async function hashOf(): Promise<string> {
  const parts = await readdir(new URL('.', import.meta.url));
  const paths = [
    'node_modules/.package-lock.json',
    'codegen.ts',
    ...parts.sort().map((part) => `scripts/codegen/${part}`),
  ];
  const sum = createHash('sha256');
  for (const path of paths) sum.update(await readFile(new URL(path, project)));
  return sum.digest('hex');
}
