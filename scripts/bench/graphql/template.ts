import type { Statement } from './statements.js';

/** Stands in the recorded order's texts wherever another order has another number. */
export const TOKEN = '424242424242';

/** A statement whose values are as PostgreSQL reads them; a value with `token` in it is another one for each order. */
export interface Template {
  text: string;
  values: readonly (string | null)[];
}

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** Makes of an order's statements those of any order: ids and codes that it made are different for each as well. `kept` are ids of what was there. */
export function templatesOf(statements: readonly Statement[], kept: readonly string[]): Template[] {
  const made: string[] = [];
  const distinct = (value: string): string => {
    if (!made.includes(value)) made.push(value);
    return `${TOKEN}${String(made.indexOf(value)).padStart(20, '70008000000000000000')}`;
  };
  const template = (value: string): string =>
    value
      .replace(UUID, (id) => (kept.includes(id) ? id : distinct(id)))
      .replace(
        /("(?:tracking_code|barcode)":)"([^"]*)"/g,
        (_, name, code) => `${name}"${TOKEN}${distinct(code).slice(-2)}"`,
      );
  return statements.map(({ text, values }) => ({
    text,
    values: values.map((value) => (value === null ? null : template(wireForm(value)))),
  }));
}

/** Lists hold ids and integers only, which need no quotes. */
const wireForm = (value: unknown): string => (Array.isArray(value) ? `{${value.join(',')}}` : String(value));

const isOneId = (value: string): boolean => value.startsWith(TOKEN) && value.length === 32;

/** The templates as a script of pgbench, and the variables for them. */
export function pgbenchScript(templates: readonly Template[]): { script: string; variables: Map<string, string> } {
  const variables = new Map<string, string>();
  const lines = templates.map(({ text, values }, at) =>
    text.replace(/\$(\d+)/g, (_, number: string) => {
      const value = values[Number(number) - 1];
      if (value === null || value === undefined) return 'null';
      // No variable of pgbench is empty.
      if (value === '') return "''";
      const name = `s${at}v${number}`;
      variables.set(name, value);
      if (!value.includes(TOKEN)) return `:${name}`;
      return `replace(:${name}, '${TOKEN}', :number::text)${isOneId(value) ? '::uuid' : ''}`;
    }),
  );
  const next = String.raw`\set turn :turn + 100
\set number :turn + :client_id`;
  return { script: `${next}\n${lines.join(';\n')};\n`, variables };
}
