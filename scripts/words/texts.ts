import { readFileSync } from 'node:fs';
import { parse, visit as visitGraphql } from 'graphql';
import { LineCounter, parseDocument, visit } from 'yaml';

export type Kind = 'comment' | 'title' | 'description' | 'guide' | 'doc';

/** A piece of prose as a reader meets it: one comment, title, description, paragraph, list item or cell of a table. */
export interface Text {
  file: string;
  line: number;
  kind: Kind;
  words: string;
}

const CODE = /\.(ts|tsx|mjs|js|cjs)$/;
const HASH_COMMENTS = /\.(ya?ml|py|sh|toml|ini|service)$|(^|\/)(Makefile|Dockerfile|run)$/;
/** Texts of `contracts/` that integrators read, in English. */
const CONTRACT = /^contracts\/[^/]+\.(yaml|graphql|json)$/;

/** All prose of one file. */
export function textsOf(file: string, source = readFileSync(file, 'utf8')): Text[] {
  if (file.endsWith('.md')) return paragraphsOf(file, source);
  if (CODE.test(file)) return [...commentsOf(file, source), ...titlesOf(file, source)];
  if (CONTRACT.test(file) && file.endsWith('.graphql')) return sdlDescriptionsOf(file, source);
  if (CONTRACT.test(file)) return [...yamlDescriptionsOf(file, source), ...hashCommentsOf(file, source)];
  return HASH_COMMENTS.test(file) ? hashCommentsOf(file, source) : [];
}

function commentsOf(file: string, source: string): Text[] {
  const pieces = source.matchAll(/^[ \t]*\/\*\*?([\s\S]*?)\*\/|^(?:[ \t]*\/\/(?!\/).*\n)+/gm);
  return [...pieces].flatMap(({ 0: whole, 1: block, index }) => {
    const bare = block === undefined ? whole.replace(/^[ \t]*\/\/ ?/gm, '') : block.replace(/^[ \t]*\*(?!\/) ?/gm, '');
    return partsOf(bare).map(({ text, line }) => ({
      file,
      line: lineAt(source, index) + line,
      kind: 'comment' as const,
      words: text,
    }));
  });
}

function hashCommentsOf(file: string, source: string): Text[] {
  return [...source.matchAll(/^(?:[ \t]*#(?![!:]).*\n)+/gm)].flatMap(({ 0: whole, index }) =>
    partsOf(whole.replace(/^[ \t]*# ?/gm, '')).map(({ text, line }) => ({
      file,
      line: lineAt(source, index) + line,
      kind: 'comment' as const,
      words: text,
    })),
  );
}

/** Titles of tests; values that a title is filled with stand as `…`. */
function titlesOf(file: string, source: string): Text[] {
  if (!/\.test\.tsx?$/.test(file)) return [];
  const titles = source.matchAll(
    /\b(?:test|it)(?:\.\w+)*(?:\((?:[^'`"()]*\))?)?\(\s*(['"`])((?:\\.|(?!\1)[\s\S])+)\1/g,
  );
  return [...titles].map(({ 2: title = '', index }) => ({
    file,
    line: lineAt(source, index),
    kind: 'title',
    words: title.replace(/\$\{[^}]*\}|%[sdjpio#]/g, '…').replace(/\\(['"`])/g, '$1'),
  }));
}

function yamlDescriptionsOf(file: string, source: string): Text[] {
  const counter = new LineCounter();
  const found: Text[] = [];
  visit(parseDocument(source, { lineCounter: counter }), {
    Pair(_, { key, value }) {
      if (!/^(description|summary|means|do)$/.test(plain(key)) || typeof plainOf(value) !== 'string') return;
      const { line } = counter.linePos(rangeOf(value));
      for (const { text } of partsOf(String(plainOf(value))))
        found.push({ file, line, kind: 'description', words: text });
    },
  });
  return found;
}

function sdlDescriptionsOf(file: string, source: string): Text[] {
  const found: Text[] = [];
  visitGraphql(parse(source), {
    enter(node) {
      if (!('description' in node) || !node.description) return;
      const line = node.description.loc?.startToken.line ?? 1;
      found.push({ file, line, kind: 'description', words: oneLine(node.description.value) });
    },
  });
  return found;
}

/** Paragraphs, list items and cells of tables, without examples of code. */
function paragraphsOf(file: string, source: string): Text[] {
  const kind = file.startsWith('contracts/guides/') ? 'guide' : 'doc';
  const withoutCode = source.replace(/^( *)```[\s\S]*?^\1```/gm, (code) => code.replace(/[^\n]/g, ''));
  return partsOf(withoutCode)
    .filter(({ text }) => !text.startsWith('#'))
    .flatMap(({ text, line }) => {
      const cells = text.startsWith('|') ? text.split(/(?<!\\)\|/) : [text.replace(/^([-*]|\d+\.) /, '')];
      return cells.map((words) => ({ file, line: line + 1, kind, words: words.trim() }) satisfies Text);
    });
}

/** Paragraphs and items of a list, each with its first line, from 0. */
function partsOf(bare: string): { text: string; line: number }[] {
  const parts: { text: string; line: number }[] = [];
  let open = false;
  for (const [line, row] of bare.split('\n').entries()) {
    // Columns of a drawn table are no sentence.
    const text = /\S {3,}\S/.test(row) && !row.startsWith('|') ? '' : row.trim();
    const starts = /^([-*] |\d+\. |#|\||@)/.test(text);
    const last = parts.at(-1);
    if (text === '') open = false;
    else if (open && !starts && last) last.text += ` ${text}`;
    else {
      parts.push({ text, line });
      open = !/^[#|]/.test(text);
    }
  }
  return parts.map(({ text, line }) => ({ text: oneLine(text), line })).filter(({ text }) => /[A-Za-z]/.test(text));
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();
const lineAt = (source: string, index: number): number => source.slice(0, index).split('\n').length;
const plainOf = (node: unknown): unknown => (node && typeof node === 'object' && 'value' in node ? node.value : node);
const plain = (node: unknown): string => String(plainOf(node));

function rangeOf(node: unknown): number {
  const range: unknown = node && typeof node === 'object' && 'range' in node ? node.range : undefined;
  return Array.isArray(range) && typeof range[0] === 'number' ? range[0] : 0;
}
