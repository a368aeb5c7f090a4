import { readFileSync } from 'node:fs';

/** Blocks of the documents that a reader pastes, in the order that CONTRIBUTING.md gives them. */

export interface Block {
  /** The word after the fence. */
  language: string;
  text: string;
}

const FENCED = /^```(\w*)\n([\s\S]*?)^```$/gm;

export const blocksIn = (markdown: string): Block[] =>
  [...markdown.matchAll(FENCED)].map(([, language = '', text = '']) => ({ language, text }));

/** Blocks of a document, or of the part of it below one heading of the second level. */
export function blocksOf(path: string, heading?: string): Block[] {
  const whole = readFileSync(path, 'utf8');
  const part = heading === undefined ? whole : whole.split(`## ${heading}\n`)[1]?.split(/^## /m)[0];
  return blocksIn(part ?? '');
}

export const quickstart = (): Block[] => blocksOf('contracts/guides/quickstart.md');
export const carriersPart = (): Block[] => blocksOf('CONTRIBUTING.md', 'Both sides on one machine');

/** The carrier's blocks and those of the quickstart, which are sent to the service on this machine. */
export function bothSides(): Block[] {
  const [carrier, customer] = [carriersPart(), quickstart()];
  const here = customer.map((block) => ({ ...block, text: block.text.replace('https://malote.example', HERE) }));
  return [carrier.slice(0, 2), here.slice(0, 2), carrier.slice(2, 4), here.slice(2), carrier.slice(4)].flat();
}

const HERE = 'http://localhost:3000';
