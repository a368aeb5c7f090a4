/**
 * Writes a JSON value as YAML. Readers of YAML 1.1 and 1.2 read the same value: every text is quoted or a block, so
 * that none becomes a date or a truth value.
 */
export const yamlOf = (value: object): string => node(value, '').trimStart();

/** Writes JSON that YAML readers accept, too: control characters are escaped. */
export const jsonOf = (value: object): string => JSON.stringify(value).replace(/\p{Cc}/gu, escaped);

/** Matches control and format characters, lone surrogates, and line ends that only some readers know. */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/gu;

/**
 * Matches texts that can be a YAML block: the first line is not indented, and at most one line end follows the last.
 */
const LINES = /^\S.*\S\n?$/s;

const PLAIN_KEY = /^[$A-Za-z][\w-]*$/;
/** Matches words that YAML 1.1 reads as truth values or as null. */
const RESERVED = /^(?:y|yes|n|no|on|off|true|false|null)$/i;

const isBlock = (text: string): boolean =>
  text.includes('\n') && LINES.test(text) && text.replaceAll('\n', '').search(UNPRINTABLE) < 0;

function escaped(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16);
  return code.length > 4 ? `\\U${code.padStart(8, '0')}` : `\\u${code.padStart(4, '0')}`;
}

/** Quotes a text as JSON does. YAML reads that, too. */
const quoted = (text: string): string => JSON.stringify(text).replace(UNPRINTABLE, escaped);

const key = (text: string): string => (PLAIN_KEY.test(text) && !RESERVED.test(text) ? text : quoted(text));

function block(text: string, indent: string): string {
  const lines = text.replace(/\n$/, '').replace(/^(?=.)/gm, indent);
  return ` ${text.endsWith('\n') ? '|' : '|-'}\n${lines}\n`;
}

/** Writes the value that follows the `key:` of an entry or the `-` of an element. */
function node(value: unknown, indent: string): string {
  if (typeof value === 'string') return isBlock(value) ? block(value, indent) : ` ${quoted(value)}\n`;
  // YAML 1.1 accepts an exponent only after a decimal point.
  if (typeof value !== 'object' || value === null) return ` ${String(value).replace(/^(-?\d+)e/, '$1.0e')}\n`;
  const entries = Array.isArray(value)
    ? value.map((each) => `${indent}-${node(each, `${indent}  `).replace(/^\n +/, ' ')}`)
    : Object.entries(value).map(([name, each]) => `${indent}${key(name)}:${node(each, `${indent}  `)}`);
  if (entries.length === 0) return Array.isArray(value) ? ' []\n' : ' {}\n';
  return `\n${entries.join('')}`;
}
