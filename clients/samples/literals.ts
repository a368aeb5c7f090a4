/** Writes JSON values as literals of programming languages. */

interface Notation {
  readonly object: readonly [string, string];
  readonly list: readonly [string, string];
  readonly emptyObject: string;
  /** The space between the brackets of an object and its content, on one line. */
  readonly pad: string;
  /** The words for true, false and null. */
  readonly words: Readonly<Record<'true' | 'false' | 'null', string>>;
  readonly indent: string;
  /** True if the last entry of a literal over several lines has a comma. */
  readonly hasLastComma: boolean;
  text(value: string): string;
  key(name: string): string;
}

const jsonWords = { true: 'true', false: 'false', null: 'null' };
const quoted = (value: string): string => JSON.stringify(value);
const singleQuoted = (value: string): string => `'${value.replaceAll(/['\\]/g, '\\$&').replaceAll('\n', '\\n')}'`;

export const json: Notation = {
  object: ['{', '}'],
  list: ['[', ']'],
  emptyObject: '{}',
  pad: ' ',
  words: jsonWords,
  indent: '  ',
  hasLastComma: false,
  text: quoted,
  key: (name) => `${quoted(name)}: `,
};

export const typescript: Notation = {
  ...json,
  hasLastComma: true,
  text: singleQuoted,
  key: (name) => `${/^\w+$/.test(name) ? name : singleQuoted(name)}: `,
};

export const python: Notation = {
  ...json,
  pad: '',
  words: { true: 'True', false: 'False', null: 'None' },
  indent: '    ',
  hasLastComma: true,
};

export const php: Notation = {
  object: ['[', ']'],
  list: ['[', ']'],
  emptyObject: 'new stdClass()',
  pad: '',
  words: jsonWords,
  indent: '    ',
  hasLastComma: true,
  text: singleQuoted,
  key: (name) => `${singleQuoted(name)} => `,
};

/** The columns that a literal may take before it goes over several lines. */
const MAX_WIDTH = 88;

/** Writes a value. Lines after the first begin with `margin`. */
export function literal(value: unknown, notation: Notation, margin = ''): string {
  if (typeof value === 'string') return notation.text(value);
  if (typeof value === 'number') return String(value);
  if (typeof value !== 'object' || value === null) {
    return notation.words[value === null ? 'null' : value === true ? 'true' : 'false'];
  }
  const entries = Array.isArray(value) ? value.map((each) => ['', each] as const) : Object.entries(value);
  const [open, close] = Array.isArray(value) ? notation.list : notation.object;
  if (entries.length === 0) return Array.isArray(value) ? open + close : notation.emptyObject;
  const inner = margin + notation.indent;
  const parts = entries.map(([name, each]) => (name && notation.key(name)) + literal(each, notation, inner));
  const pad = Array.isArray(value) ? '' : notation.pad;
  const line = `${open}${pad}${parts.join(', ')}${pad}${close}`;
  if (!line.includes('\n') && margin.length + line.length <= MAX_WIDTH) return line;
  const last = notation.hasLastComma ? ',' : '';
  return `${open}\n${parts.map((part) => inner + part).join(',\n')}${last}\n${margin}${close}`;
}
