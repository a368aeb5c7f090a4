import { readdirSync, readFileSync } from 'node:fs';

const here = new URL('./', import.meta.url);
const root = new URL('../../', import.meta.url);

/** The code that an action of a model describes: a function, and a part of its statement. */
export interface Stand {
  action: string;
  file: string;
  name: string;
  quote: string;
}

const read = (file: string): string => readFileSync(new URL(file, root), 'utf8');

/** The modules of this folder with their texts. */
export const modules = (): [name: string, text: string][] =>
  readdirSync(here)
    .filter((file) => file.endsWith('.tla'))
    .map((file) => [file.replace('.tla', ''), readFileSync(new URL(file, here), 'utf8')]);

/** The actions in a module's `Next`. */
export function actionsOf(text: string): string[] {
  const next = /^Next ==(.*\n(?: {2}.*\n)+)/m.exec(text)?.[1] ?? '';
  return [...new Set([...next.matchAll(/\b([A-Z]\w+)(?:\(|(?= \\\/|$))/gm)].flatMap(([, name]) => name ?? []))].filter(
    (name) => new RegExp(`^${name}(\\(.*\\))? ==`, 'm').test(text),
  );
}

/** The comment before an action's definition. It names the code that the action describes, or the world. */
export function headOf(text: string, action: string): string {
  return new RegExp(`((?:^\\\\\\* .*\\n)+)${action}(?:\\(.*\\))? ==`, 'm').exec(text)?.[1] ?? '';
}

const CODE = /^\\\* Code: (\S+) (\w+) "(.*)"$/gm;

export const standsOf = (module: string, text: string): Stand[] =>
  actionsOf(text).flatMap((action) =>
    [...headOf(text, action).matchAll(CODE)].map(([, file = '', name = '', quote = '']) => {
      return { action: `${module}!${action}`, file, name, quote };
    }),
  );

/** The text of a function or constant up to the next declaration. Undefined if there is none. */
export function definitionOf(file: string, name: string): string | undefined {
  const parts = read(file).split(/^(?=export |const |async function|function |interface |type |\/\*\*|\/\/ )/m);
  return parts.find((part) => new RegExp(`^(?:export )?(?:async )?(?:function\\*? |const )${name}\\b`).test(part));
}

const COMMENT = /Model: ([\w!, \n*/]+?) \(lab\/models\)[\s\S]*?^(?:export )?(?:async )?(?:function\*? |const )(\w+)/gm;

/** Pairs of `file name action` that comments in the sources name. */
export const namedIn = (file: string): string[] =>
  [...read(file).matchAll(COMMENT)].flatMap(([, actions = '', name = '']) =>
    [...actions.matchAll(/\w+!\w+/g)].map(([action]) => `${file} ${name} ${action}`),
  );

/** Source files that name a model. */
export function sources(folder = 'src/'): string[] {
  return readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && read(folder + file).includes('(lab/models)'))
    .map((file) => folder + file);
}
