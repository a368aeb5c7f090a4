import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, dirname, join, normalize } from 'node:path';
import { expect, test } from '@jest/globals';
import { parse } from 'yaml';

/** Names that .gitignore leaves out, `*.ext` among them. Only patterns of one name are understood. */
const ignored = readFileSync('.gitignore', 'utf8')
  .split('\n')
  .filter(Boolean)
  .map((line) => line.replace(/\/$/, ''));

const isIgnored = (name: string): boolean =>
  name === '.git' ||
  ignored.some((pattern) => name === pattern || (pattern[0] === '*' && name.endsWith(pattern.slice(1))));

/** Paths of the project's files, in a clone as in an unpacked archive, which has no git to ask. */
function projectFiles(folder = '.'): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !isIgnored(name))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? projectFiles(path) : [path];
    });
}

/** References of documents and comments lead to files, and to headings in them as GitHub makes anchors of them. */

const paths = projectFiles().filter((path) => !/^generated\/|lock\.json$|^contracts\/released\//.test(path));
const documents = paths.filter((path) => path.endsWith('.md'));
const sources = paths.filter((path) => /\.(ts|mjs|cjs|py|yaml|graphql|sql)$|(^|\/)(Makefile|run)$/.test(path));

const FENCED = /^ *```[\s\S]*?^ *```$/gm;
const textOf = (path: string): string => readFileSync(path, 'utf8').replaceAll(FENCED, '');

/** Anchors of headings as GitHub makes them: a second one of the same words gets a number, and so on. */
function anchorsOf(markdown: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of markdown.matchAll(/^#{1,6} +(.*?) *$/gm)) {
    const words = heading.replaceAll(/\[(.*?)\]\(.*?\)/g, '$1').toLowerCase();
    const slug = words.replaceAll(/[^\p{L}\p{M}\p{N} _-]/gu, '').replaceAll(' ', '-');
    let [anchor, count] = [slug, 0];
    while (anchors.has(anchor)) anchor = `${slug}-${++count}`;
    anchors.add(anchor);
  }
  return anchors;
}

/** The reason why a reference leads nowhere, if it does; it may be relative to each of the folders. */
function deadEnd(reference: string, folders: readonly string[]): string | undefined {
  const [path = '', anchor] = reference.split('#');
  const target = folders.map((folder) => normalize(join(folder, path))).find((each) => existsSync(each));
  if (target === undefined || target.startsWith('..')) return `${reference} is not in the repository`;
  if (anchor === undefined || !statSync(target).isFile()) return undefined;
  if (anchor.startsWith('/'))
    return pointsToSomething(target, anchor) ? undefined : `${target} has nothing at ${anchor}`;
  return anchorsOf(textOf(target)).has(anchor) ? undefined : `${target} has no heading #${anchor}`;
}

/** Follows a JSON pointer in a document of YAML or JSON. */
function pointsToSomething(path: string, pointer: string): boolean {
  const steps = pointer.split('/').slice(1);
  return steps.reduce((at, step) => Object(at)[step], parse(readFileSync(path, 'utf8'))) !== undefined;
}

const deadEnds = (references: readonly string[], folders: readonly string[]): string[] =>
  references.flatMap((reference) => deadEnd(reference, folders) ?? []);

/** Addresses of the running service begin with `/`: test/pages/guide.test.ts follows them. */
const LINK = /\]\((?!https?:|mailto:|\/)([^)\s]+)\)|^\[[^\]]+\]: (?!https?:|mailto:)(\S+)$/gm;
/** A document, cited by its path from the root or from the folder of the citing file. */
const CITED = /(?<![\w/.-])(?:\.\.\/)*(?:[\w-]+\/)*[\w-]+\.md(?:#[\w-]+)?/g;
/** Another file, cited likewise or by its path from `src/`. */
const FILE = /(?<![\w/.-])(?:\.\.?\/)*(?:[\w-]+\/)+[\w.-]+\.(?:ts|mjs|yaml|json|graphql|py|sql)\b/g;
const COMMENT = /(?:^|\s)(?:\/\/|\/?\*{1,2}|#)\s.*$/gm;
const OUTSIDE = /(?<![\w/])\/(?:work|home|root|Users)\/|\.\.\/shared\b|§/;

const commentsIn = (path: string): string[] => textOf(path).match(COMMENT) ?? [];

test.each(documents)('%s refers to existing files', (path) => {
  const here = dirname(path);
  const text = textOf(path);
  const targets = [...text.matchAll(LINK)].map(([, inline, below]) => inline ?? below ?? '');
  const linked = targets.map((target) => (target.startsWith('#') ? `${basename(path)}${target}` : target));
  const plain = text.replaceAll(/\[[^\]]*\]\([^)]*\)/g, '');
  const cited = [...(plain.match(CITED) ?? []), ...(plain.match(FILE) ?? [])];
  expect([...deadEnds(linked, [here]), ...deadEnds(cited, ['.', here])]).toEqual([]);
});

test('comments refer to existing files, and to nothing outside the repository', () => {
  const faults = sources.flatMap((path) =>
    commentsIn(path).flatMap((comment) => {
      const cited = [...(comment.match(CITED) ?? []), ...(comment.match(FILE) ?? [])];
      const outside = OUTSIDE.test(comment) ? [`${comment.trim()} refers to something outside the repository`] : [];
      return [...deadEnds(cited, ['.', dirname(path), 'src']), ...outside].map((fault) => `${path}: ${fault}`);
    }),
  );
  expect(faults).toEqual([]);
});

test('a heading that is renamed and a file that is not there are noticed', () => {
  const guide = textOf('contracts/guides/behaviour.md');
  expect(anchorsOf(guide)).toContain('orders-packages-states');
  expect(anchorsOf(guide.replace('## Orders, packages, states', '## Orders'))).not.toContain('orders-packages-states');
  const citing = sources.flatMap(commentsIn).filter((comment) => comment.includes('behaviour.md#'));
  expect(citing.length).toBeGreaterThan(20);
  const references = ['behaviour.md#orders', '../openapi.yaml#/components/examples/None', '../../../shared/theory.md'];
  expect(deadEnds(references, ['contracts/guides'])).toEqual([
    'contracts/guides/behaviour.md has no heading #orders',
    'contracts/openapi.yaml has nothing at /components/examples/None',
    '../../../shared/theory.md is not in the repository',
  ]);
});
