import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { CORE_SCHEMA, loadAll, mergeTag, type Schema, YAML11_SCHEMA } from 'js-yaml';
import { parseAllDocuments } from 'yaml';
import { yamlOf } from '../../../src/published/yaml.js';
import { ownFolder } from '../../support/folder.js';
import { ownService } from '../../support/services.js';
import { describeWith, SNAKEYAML } from '../../support/tools.js';

/** YAML that is published or deployed, by readers of other languages: for YAML 1.1 `yes` and `12:30` are no texts. */

/** A file, and the documents that a reader must get from it. */
type Sample = { readonly path: string; readonly documents: readonly unknown[] };

const yamlFilesIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.ya?ml$/.test(name))
    .map((name) => resolve(folder, name));

/** Values that readers of YAML interpret differently, as texts and as keys, and values that JSON writes differently. */
const oddTexts = [
  ...['', ' ', '# a', 'a: b', 'a\nb', 'a\n', 'a\n\n', '\na', ' a\nb', 'a \nb ', 'a\n  b\n', 'a\n \nb', 'a\r\nb'],
  ...'~ y No on null .inf .nan = << - ? *a &a !a %a @a {} 2026-11-01 2026-11-01T10:00:00Z 12:30 12:30:45'.split(' '),
  ...['a\n---\nb', 'a\tb\nc', 'a\n# b', ...'1_000 0x1F 0o17 017 1e3 1. +1 " \' \\'.split(' ')],
  ...['\u0085', 'a\n\u0080', '\u2028', '\ufeff', '\ufffe', '\u202e', '😀', '\u{e0001}', '\u{10ffff}', 'São Paulo'],
  String.fromCharCode(...Array(256).keys()),
];
const odd = {
  texts: oddTexts,
  ...Object.fromEntries(oddTexts.map((text, index) => [text, index])),
  numbers: [0, -1, 0.5, 1e21, -1e-7, 1.5e-7, 4294967296],
  others: [null, true, false, {}, [], [[], [{}, [1, 2]], [{ a: { b: [] }, c: 'a\nb' }]]],
};

const service = await ownService({});
const folder = await ownFolder();
let samples: readonly Sample[];

const served = async (file: string): Promise<string> => (await fetch(`${service.url}/docs/${file}`)).text();

/** A served document. Its YAML must equal its JSON, which some generators read as YAML, too. */
async function servedSamples(name: string): Promise<Sample[]> {
  const documents = [JSON.parse(await served(`${name}.json`))];
  const files = [`${name}.yaml`, `${name}.json`];
  for (const file of files) await writeFile(join(folder, file), await served(file));
  return files.map((file) => ({ path: join(folder, file), documents }));
}

beforeAll(async () => {
  const files = [...yamlFilesIn('contracts'), ...yamlFilesIn('deploy')].map((path) => ({
    path,
    documents: parseAllDocuments(readFileSync(path, 'utf8'), { merge: true }).map((document) => document.toJS()),
  }));
  const path = join(folder, 'odd.yaml');
  await writeFile(path, yamlOf(odd));
  const openapi = await Promise.all(['openapi', 'operator.openapi', 'webhooks.openapi'].map(servedSamples));
  samples = [...files, ...openapi.flat(), { path, documents: [odd] }];
});

/** Runs a program of `yaml-readers`. Resolves to the documents of every file. */
async function readBy(program: string, ...args: readonly string[]): Promise<unknown[]> {
  const paths = samples.map(({ path }) => path);
  const options = { cwd: 'test/machine/languages/yaml-readers', maxBuffer: 268_435_456 };
  const { stdout } = await promisify(execFile)(program, [...args, ...paths], options);
  return JSON.parse(stdout);
}

function expectMeant(read: readonly unknown[]): void {
  for (const [index, { path, documents }] of samples.entries())
    expect({ path, documents: read[index] }).toEqual({ path, documents });
}

test('no file has a character that YAML forbids, or that only some readers take as the end of a line', () => {
  const found = samples.filter(({ path }) =>
    /[^\t\n -~\u00a0-\u2027\u202a-\ufefe\uff00-\ufffd]/.test(readFileSync(path, 'utf8')),
  );
  expect(found.map(({ path }) => path)).toEqual([]);
});

describe.each<[string, Schema]>([
  ['1.2', CORE_SCHEMA.withTags(mergeTag)],
  ['1.1', YAML11_SCHEMA],
])('as YAML %s', (_version, schema) => {
  test('js-yaml reads the intended values', () => {
    expectMeant(samples.map(({ path }) => loadAll(readFileSync(path, 'utf8'), { schema })));
  });
});

describeWith('libyaml', 'libyaml', (python) => {
  test('reads the intended values', async () => expectMeant(await readBy(python, 'read.py')));
});

describeWith('go-yaml', 'go-yaml', (go) => {
  test('reads the intended values', async () => expectMeant(await readBy(go, 'run', 'read.go')));
});

describeWith('snakeyaml', 'SnakeYAML', (javac) => {
  test('reads the intended values', async () => {
    expectMeant(await readBy(javac.replace(/javac$/, 'java'), '-cp', SNAKEYAML, 'Read.java'));
  });
});
