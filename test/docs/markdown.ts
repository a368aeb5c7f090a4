/** A fenced block of a Markdown file: the word after its fence, and its text. */
export interface Block {
  readonly language: string;
  readonly text: string;
}

const FENCED = /^```(\w*)\n([\s\S]*?)^```$/gm;

export const blocksOf = (markdown: string): Block[] =>
  [...markdown.matchAll(FENCED)].map(([, language = '', text = '']) => ({ language, text }));
