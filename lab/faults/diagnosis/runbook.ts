import { readFile } from 'node:fs/promises';

const text = await readFile(new URL('../../../docs/runbook.md', import.meta.url), 'utf8');

/** Headings as the anchors of a published page have them. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\w\- ]/g, '')
    .replaceAll(' ', '-');

const sections = new Map(
  text
    .split(/^## /m)
    .slice(1)
    .map((section) => [anchorOf(section.slice(0, section.indexOf('\n'))), section]),
);

/** The text of a section; throws when the runbook has none of that name. */
export function sectionOf(anchor: string): string {
  const section = sections.get(anchor);
  if (section === undefined) throw new Error(`docs/runbook.md has no section #${anchor}`);
  return section;
}

/** Anchors of the runbook that a piece of advice leads to. */
export const sectionsIn = (advice: string): string[] =>
  [...advice.matchAll(/runbook\.md#([\w-]+)/g)].map(([, anchor = '']) => anchor);
