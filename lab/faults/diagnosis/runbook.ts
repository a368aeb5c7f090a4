import { readFile } from 'node:fs/promises';

const text = await readFile(new URL('../../../docs/runbook.md', import.meta.url), 'utf8');

/** Headings with the anchors that they have on a published page. */
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

/** The text of a section. Throws if the runbook has no such section. */
export function sectionOf(anchor: string): string {
  const section = sections.get(anchor);
  if (section === undefined) throw new Error(`docs/runbook.md has no section #${anchor}`);
  return section;
}

/** The runbook's anchors in a piece of advice. */
export const sectionsIn = (advice: string): string[] =>
  [...advice.matchAll(/runbook\.md#([\w-]+)/g)].map(([, anchor = '']) => anchor);
