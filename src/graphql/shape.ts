import { bounds } from './limits.js';

/** What can be told of a document's text without parsing it. */
export interface Scan {
  /**
   * The text with the contents of strings and the values of numbers left out, their kinds kept; undefined where telling
   * them apart would not be worth it.
   */
  shape: string | undefined;
  /** How deep brackets of any kind are nested. */
  nesting: number;
  /** Tokens, comments included, punctuation but brackets not; counting ends once there are too many. */
  tokens: number;
  /** Characters of the longest name. */
  name: number;
}

// The alternatives are those of GraphQL's lexical grammar. What is not closed reaches to the end, so that no text is read
// twice; names are matched to keep the digits in them from being taken for numbers.
const TOKENS =
  /"""(?:\\"""|[\s\S])*?(?:"""|$)|"(?:\\[^\n\r]|[^"\\\n\r])*"?|#[^\n\r]*|-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?|[_A-Za-z]\w*|[{}()[\]]/g;

// A longer integer may be out of range, and so be refused where a shorter one is not.
const MAX_DIGITS = 9;

/** What takes a value's place: a value of its kind, or undefined where others of the kind may be judged otherwise. */
function standIn(token: string, isFloat: boolean): string | undefined {
  if (token.startsWith('"')) return token.startsWith('"""') ? undefined : '""';
  if (isFloat) return '0.0';
  return token.length > MAX_DIGITS ? undefined : '0';
}

/** Reads the shape of a document and its size, in one pass whatever the text is. */
export function scan(text: string): Scan {
  const found = { nesting: 0, tokens: 0, name: 0 };
  let [pieces, from, depth, plain] = ['', 0, 0, true];
  TOKENS.lastIndex = 0;
  for (let match = TOKENS.exec(text); match && found.tokens <= bounds.tokens; match = TOKENS.exec(text)) {
    const [token, fraction, exponent] = match;
    const first = token.charAt(0);
    found.tokens += 1;
    if (first === '{' || first === '(' || first === '[') found.nesting = Math.max(found.nesting, ++depth);
    else if (first === '}' || first === ')' || first === ']') depth -= 1;
    else if (first === '#') plain = false;
    else if (first === '"' || first === '-' || (first >= '0' && first <= '9')) {
      const value = standIn(token, fraction !== undefined || exponent !== undefined);
      plain &&= value !== undefined;
      pieces += text.slice(from, match.index) + value;
      from = TOKENS.lastIndex;
    } else found.name = Math.max(found.name, token.length);
  }
  return { ...found, shape: plain ? pieces + text.slice(from) : undefined };
}
