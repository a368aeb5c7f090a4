/**
 * Writes an object of JSON as YAML that readers of YAML 1.1 and 1.2 take for the same object: every text is quoted or a
 * block, so that no date or `yes` is taken for something else.
 */
export const yamlOf = (value: object): string => node(value, '').trimStart();

/** Writes JSON that readers of YAML read too: it has no control character as it is. */
export const jsonOf = (value: object): string => JSON.stringify(value).replace(/\p{Cc}/gu, escaped);

/** Control and format characters, lone surrogates, and the line ends that only some readers know. */
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/gu;

/** Lines that can stand as they are: the first is not indented, and at most one line end follows the last. */
const LINES = /^\S.*\S\n?$/s;

const PLAIN_KEY = /^[$A-Za-z][\w-]*$/;
/** Words that YAML 1.1 takes for truth values or for nothing. */
const RESERVED = /^(?:y|yes|n|no|on|off|true|false|null)$/i;

const isBlock = (text: string): boolean =>
  text.includes('\n') && LINES.test(text) && text.replaceAll('\n', '').search(UNPRINTABLE) < 0;

function escaped(character: string): string {
  const code = (character.codePointAt(0) ?? 0).toString(16);
  return code.length > 4 ? `\\U${code.padStart(8, '0')}` : `\\u${code.padStart(4, '0')}`;
}

/** The text as JSON writes it, which YAML reads too. */
const quoted = (text: string): string => JSON.stringify(text).replace(UNPRINTABLE, escaped);

const key = (text: string): string => (PLAIN_KEY.test(text) && !RESERVED.test(text) ? text : quoted(text));

function block(text: string, indent: string): string {
  const lines = text.replace(/\n$/, '').replace(/^(?=.)/gm, indent);
  return ` ${text.endsWith('\n') ? '|' : '|-'}\n${lines}\n`;
}

/** The text after the `key:` of an entry or the `-` of an element at this indent. */
function node(value: unknown, indent: string): string {
  if (typeof value === 'string') return isBlock(value) ? block(value, indent) : ` ${quoted(value)}\n`;
  // YAML 1.1 knows an exponent only after a point.
  if (typeof value !== 'object' || value === null) return ` ${String(value).replace(/^(-?\d+)e/, '$1.0e')}\n`;
  const entries = Array.isArray(value)
    ? value.map((each) => `${indent}-${node(each, `${indent}  `).replace(/^\n +/, ' ')}`)
    : Object.entries(value).map(([name, each]) => `${indent}${key(name)}:${node(each, `${indent}  `)}`);
  if (entries.length === 0) return Array.isArray(value) ? ' []\n' : ' {}\n';
  return `\n${entries.join('')}`;
}
