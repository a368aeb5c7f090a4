import hljs from 'highlight.js/lib/core';
import bash from 'highlight.js/lib/languages/bash';
import go from 'highlight.js/lib/languages/go';
import graphql from 'highlight.js/lib/languages/graphql';
import java from 'highlight.js/lib/languages/java';
import json from 'highlight.js/lib/languages/json';
import php from 'highlight.js/lib/languages/php';
import python from 'highlight.js/lib/languages/python';
import typescript from 'highlight.js/lib/languages/typescript';
import MarkdownIt, { type Token } from 'markdown-it';
import { type Tab, tabsOf } from './samples.js';

// Converts the Markdown of the guide to HTML. HTML inside Markdown is shown as text.

interface Heading {
  readonly level: number;
  readonly id: string;
  readonly text: string;
}

/** A heading with the words below it, up to the next heading. Code blocks are left out. */
export interface Section extends Heading {
  readonly words: string;
}

export interface Rendered {
  readonly title: Heading;
  /** The HTML below the title. */
  readonly html: string;
  readonly headings: readonly Heading[];
}

/** Turns the target of a link in the text into an address. */
export type HrefOf = (target: string) => string;

const languages = { bash, go, graphql, java, json, php, python, typescript };
for (const [name, language] of Object.entries(languages)) hljs.registerLanguage(name, language);

const highlight = (code: string, language: string): string =>
  hljs.getLanguage(language) ? hljs.highlight(code, { language }).value : '';

const markdown = new MarkdownIt({ html: false, highlight });
const { rules } = markdown.renderer;
// A wide table or code block scrolls on its own, also by keyboard.
rules.table_open = () => '<div class="wide" tabindex="0"><table>\n';
rules.table_close = () => '</table></div>\n';
// An empty heading cell is the corner of a table, so it becomes a plain cell.
const isEmpty = (tokens: readonly Token[], at: number): boolean => tokens[at]?.content === '';
rules.th_open = (tokens, index, options, _env, self) =>
  isEmpty(tokens, index + 1) ? '<td>' : self.renderToken(tokens, index, options);
rules.th_close = (tokens, index, options, _env, self) =>
  isEmpty(tokens, index - 1) ? '</td>' : self.renderToken(tokens, index, options);
/** The samples by their code blocks. */
const samples = new WeakMap<Token, Sample>();
const plainFence = rules.fence;
rules.fence = (tokens, index, ...others) => {
  const token = tokens[index];
  const sample = token && samples.get(token);
  if (sample) return tabsHtml(sample);
  return (plainFence?.(tokens, index, ...others) ?? '').replace('<pre', '<pre tabindex="0"');
};
// A translated heading also has the anchor of its original.
rules.heading_open = (tokens, index, options, _env, self) => {
  const alias = tokens[index]?.meta?.['alias'];
  return self.renderToken(tokens, index, options) + (alias === undefined ? '' : `<span id="${alias}"></span>`);
};
rules.heading_close = (tokens, index) => {
  const { tag, meta } = tokens[index] ?? {};
  return ` <a class="anchor" href="#${meta?.['id']}" aria-hidden="true" tabindex="-1">#</a></${tag}>\n`;
};

interface Sample {
  readonly tabs: readonly Tab[];
  /** The number of the sample on its page, from 1. */
  readonly number: number;
  /** Says what the tabs are, to readers who do not see them. */
  readonly label: string;
}

/** A row of tabs. Radio buttons switch them, so they work without script. */
function tabsHtml({ tabs, number, label }: Sample): string {
  const buttons = tabs.map((tab, at) => {
    const [id, name] = [`sample-${number}-${at + 1}`, `sample-${number}`];
    const checked = at === 0 ? ' checked' : '';
    const input = `<input type="radio" name="${name}" id="${id}" value="${tab.label}"${checked}>`;
    return `${input}<label for="${id}">${tab.label}</label>`;
  });
  const panels = tabs.map(
    ({ language, code }) => `<div><pre tabindex="0"><code>${highlight(code, language)}</code></pre></div>`,
  );
  const shown = `${buttons.join('')}<div class="panels">${panels.join('')}</div>`;
  return `<fieldset class="tabs" aria-label="${markdown.utils.escapeHtml(label)}">${shown}</fieldset>\n`;
}

/** The anchor of a heading, made as GitHub makes it. */
export const slugOf = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

const textOf = (token: Token | undefined): string =>
  (token?.children ?? []).map(({ type, content }) => (type === 'softbreak' ? ' ' : content)).join('');

export const sectionsIn = (text: string): Section[] => sectionsOf(markdown.parse(text, {}));

/** A heading has three tokens: start, text, end. */
const HEADING_TOKENS = 3;

interface Rendering {
  readonly hrefOf: HrefOf;
  /** Second anchors, one per heading, in order. */
  readonly aliases?: readonly string[];
  readonly samplesLabel: string;
}

export function render(text: string, { hrefOf, aliases = [], samplesLabel }: Rendering): Rendered {
  const tokens = markdown.parse(text, {});
  const [title, ...headings] = sectionsOf(tokens);
  if (!title) throw new Error('A page of the guide has no title.');
  const ids = new Set(headings.map(({ id }) => id));
  for (const [at, token] of tokens.filter(({ type }) => type === 'heading_open').entries()) {
    const alias = aliases[at];
    if (alias !== undefined && !ids.has(alias)) token.meta = { alias };
  }
  for (const link of tokens.flatMap(({ children }) => children ?? [])) {
    if (link.type === 'link_open') link.attrSet('href', hrefOf(String(link.attrGet('href'))));
  }
  let number = 0;
  for (const token of tokens) {
    const tabs = token.type === 'fence' ? tabsOf(token.info, token.content) : undefined;
    if (tabs) samples.set(token, { tabs, number: ++number, label: samplesLabel });
  }
  const html = markdown.renderer.render(tokens.slice(HEADING_TOKENS), markdown.options, {});
  return { title, html, headings };
}

/** Gives each heading its anchor, and collects the words below each heading. */
function sectionsOf(tokens: readonly Token[]): Section[] {
  const ids = new Set<string>();
  const sections: (Heading & { words: string[] })[] = [];
  for (const [index, token] of tokens.entries()) {
    if (token.type === 'heading_open') {
      const heading = tokens[index + 1];
      const id = freeId(slugOf(textOf(heading)), ids);
      token.attrSet('id', id);
      const close = tokens[index + 2];
      if (close) close.meta = { id };
      sections.push({ level: Number(token.tag.slice(1)), id, text: textOf(heading), words: [] });
    } else if (token.type === 'inline' && tokens[index - 1]?.type !== 'heading_open') {
      sections.at(-1)?.words.push(textOf(token));
    }
  }
  return sections.map((section) => ({ ...section, words: section.words.join(' ') }));
}

/** Adds a number to an anchor that already exists. */
function freeId(slug: string, ids: Set<string>): string {
  let [id, count] = [slug, 0];
  while (ids.has(id)) id = `${slug}-${++count}`;
  ids.add(id);
  return id;
}

const FENCED = /^```[\s\S]*?^```$/gm;

export function outsideFences(text: string, change: (part: string) => string): string {
  const fences = text.match(FENCED) ?? [];
  return text
    .split(FENCED)
    .map((part, index) => change(part) + (fences[index] ?? ''))
    .join('');
}
