import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Names that .gitignore leaves out, `*.ext` among them. Only patterns of one name are understood. */
const ignored = readFileSync('.gitignore', 'utf8')
  .split('\n')
  .filter(Boolean)
  .map((line) => line.replace(/\/$/, ''));

const isIgnored = (name: string): boolean =>
  name === '.git' ||
  ignored.some((pattern) => name === pattern || (pattern[0] === '*' && name.endsWith(pattern.slice(1))));

/** Paths of the project's files, in a clone as in an unpacked archive, which has no git to ask. */
export function projectFiles(folder = '.'): string[] {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => !isIgnored(name))
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      return entry.isDirectory() ? projectFiles(path) : [path];
    });
}
