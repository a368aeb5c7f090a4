/** Writes names and comments of TypeScript. */

export const capitalized = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

export const camelCase = ([first = '', ...words]: readonly string[]): string => first + words.map(capitalized).join('');

export function comment(text: string): string {
  const lines = text.trim().replaceAll('*/', '*\\/').split('\n');
  return `/**\n${lines.map((line) => ` * ${line}`.trimEnd()).join('\n')}\n */\n`;
}
