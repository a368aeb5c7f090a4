import { retext } from 'retext';
import retextIndefiniteArticle from 'retext-indefinite-article';
import retextRepeatedWords from 'retext-repeated-words';
import type { Kind, Text } from './texts.js';

/** A kind of sentence that a reader has to read twice, and the advice to its author. */
interface Riddle {
  name: string;
  found: RegExp;
  advice: string;
}

const riddles: readonly Riddle[] = [
  {
    name: 'riddle-head',
    found:
      /^(What(ever)?|Who(ever|se)?|Whom|Of (which|whom|what|all|a|an|the|each)|That of|Those (of|that|who)|The one|One that|Some of|Somebody|Nobody|None of|Nothing but|As many)\b(?= )(?!.*\?$)/i,
    advice: 'begin with the noun that acts',
  },
  {
    name: 'of-which',
    found: /\bof (which|whom)\b|\b(of|by|with|for|to|from|in|than|beside) (what|whoever)\b/i,
    advice: 'make it two sentences, or name the thing',
  },
  {
    name: 'what-is',
    found:
      /\bwhat (is|are|was|were|comes|came|waits|has|had|goes|went|stands|stood|happens|happened|belongs|remains|can|cannot|may|must|does|did|follows)\b(?!.*\?$)/i,
    advice: 'name the thing',
  },
  { name: 'is-none', found: /(?<!there )\b(is|are|was|were) none\b|\b(and|that) has none\b/i, advice: 'say "is not"' },
  {
    name: 'who-has',
    found: /(^|[.;:,] )who (has|is|asks|sends|wants|needs|runs|signs|takes)\b/,
    advice: 'name the person',
  },
  { name: 'whoever', found: /\b(whoever|whomever|whosoever)\b/i, advice: 'name the person' },
  { name: 'as-may-be', found: /\bas may be\b|\bas (many|much|long) as may\b/i, advice: 'name the limit' },
  { name: 'nothing-but', found: /\bnothing but\b|\ball but\b|\bbut for\b/i, advice: 'write "only" or "except"' },
];

/** The longest sentence of each kind of text, in words. */
const maxWords: Readonly<Record<Kind, number>> = { comment: 40, title: 40, description: 40, guide: 35, doc: 25 };

/** Words that the rules would find by mistake: each is a fixed expression or stands in a quotation. */
const ALLOWED = /\$what (is|are)\b/;

export interface Finding {
  text: Text;
  name: string;
  sentence: string;
  advice: string;
}

/** The sentences of a text that break a rule. */
export function findingsIn(text: Text): Finding[] {
  return sentencesOf(text.words).flatMap((sentence) => {
    const prose = proseOf(sentence);
    if (ALLOWED.test(prose)) return [];
    const length = Math.max(...partsOf(prose).map((part) => part.split(/\s+/).length));
    const matches = riddles.filter(({ found }) => found.test(prose));
    return [
      ...matches.map(({ name, advice }) => ({ text, name, sentence, advice })),
      ...(length > maxWords[text.kind] ? [{ text, name: 'long', sentence, advice: `split its ${length} words` }] : []),
    ];
  });
}

/** A list of five parts or more is as long as its longest part. */
function partsOf(prose: string): string[] {
  const parts = prose.split(/[;,] /);
  return parts.length >= 5 && parts.every((part) => part.split(/\s+/).length <= 8) ? parts : [prose];
}

/** The name of an interface, no article. */
const INTERFACE_A = /article `A`/;
const slips = retext().use(retextRepeatedWords).use(retextIndefiniteArticle).freeze();

/** Slips of the pen in a text: a word that stands twice, `a` before a vowel. */
export function slipsIn(text: Text): Finding[] {
  // Only these texts can have one: the parser takes most of the check's time.
  if (!/\b(\w+) \1\b|\ban? /i.test(text.words)) return [];
  const { messages } = slips.processSync(text.words.replace(/`(\w*)[^`]*`/g, '$1code'));
  return messages
    .filter(({ reason }) => !INTERFACE_A.test(reason))
    .map(({ ruleId, reason }) => ({
      text,
      name: ruleId ?? 'slip',
      sentence: text.words,
      advice: reason,
    }));
}

function sentencesOf(text: string): string[] {
  return text.split(/(?<=[.?!])\s+(?=[A-Z`"'([*]|\d{3} )/).filter(Boolean);
}

/** The words alone: code, addresses of links and marks are not prose. */
const proseOf = (words: string): string =>
  words
    .replace(/`[^`]*`/g, 'X')
    .replace(/\]\([^)]*\)/g, ']')
    .replace(/[[\]*_]/g, '');
