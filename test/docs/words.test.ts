import { describe, expect, test } from '@jest/globals';
import { findingsIn, slipsIn } from '../../scripts/words/riddles.js';
import { type Kind, textsOf } from '../../scripts/words/texts.js';

const rulesOf = (words: string, kind: Kind = 'comment'): string[] => {
  const text = { file: 'sample', line: 1, kind, words };
  return [...findingsIn(text), ...slipsIn(text)].map(({ name }) => name);
};

describe('the check of plain English', () => {
  test.each([
    ['riddle-head', 'Who has no program signs in at /envios.'],
    ['riddle-head', 'One that hears of a change asks for itself anew.'],
    ['riddle-head', 'of the last package ends the order'],
    ['of-which', 'A movement of which only the key is left is like no other.'],
    ['of-which', 'Throws for what does not decode.'],
    ['what-is', 'Looks for what is due.'],
    ['is-none', 'Names that look like settings and are none.'],
    ['who-has', 'Answers 304 to a client, who has it.'],
    ['whoever', 'The page for whoever reads the label.'],
    ['as-may-be', 'The requests are as many as may be.'],
    ['nothing-but', 'It does nothing but read.'],
    ['the', 'Sends the the body again.'],
    ['retext-indefinite-article', 'Reads a order.'],
  ])('finds %s in a sample', (rule, sample) => {
    expect(rulesOf(sample)).toContain(rule);
  });

  test('finds a sentence that is too long, and allows more words in a comment than in a page of docs', () => {
    const words = `${Array.from({ length: 30 }, (_, n) => `word${n}`).join(' ')}.`;
    expect([rulesOf(words, 'doc'), rulesOf(words)]).toEqual([['long'], []]);
  });

  test('passes plain sentences, questions, and code within a sentence', () => {
    expect(
      [
        'A cancelled package has no label.',
        'What is a lane?',
        'Names it `what is`.',
        'Reads a `tracking_url`.',
      ].flatMap((sample) => rulesOf(sample)),
    ).toEqual([]);
  });

  test('reads comments, titles, descriptions and paragraphs, each with its line', () => {
    const source = "/** First. */\n// Second\n// goes on.\ntest('a title', () => {});\n";
    const read = (file: string, text: string) =>
      textsOf(file, text).map(({ kind, line, words }) => [kind, line, words]);
    expect(read('test/a.test.ts', source)).toEqual([
      ['comment', 1, 'First.'],
      ['comment', 2, 'Second goes on.'],
      ['title', 4, 'a title'],
    ]);
    expect(read('contracts/a.yaml', 'info:\n  description: A text.\n')).toEqual([['description', 2, 'A text.']]);
    expect(read('contracts/a.graphql', '"""\nA type.\n"""\nscalar A\n')).toEqual([['description', 1, 'A type.']]);
    expect(read('docs/a.md', '# Head\n\nA line\nand more.\n\n```sh\ncode\n```\n\n| one | two |\n')).toEqual([
      ['doc', 3, 'A line and more.'],
      ['doc', 10, ''],
      ['doc', 10, 'one'],
      ['doc', 10, 'two'],
      ['doc', 10, ''],
    ]);
  });
});
