import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import pg from 'pg';

/** A statement as the driver gets it. */
export interface Statement {
  text: string;
  values: readonly unknown[];
}

const request = new AsyncLocalStorage<Statement[]>();

// From the start: the service's pool takes the driver's `query` as it is when a connection is made.
pg.Client.prototype.query = new Proxy(pg.Client.prototype.query, {
  apply: (query, self, args: unknown[]) => {
    request.getStore()?.push(statementIn(args));
    return Reflect.apply(query, self, args);
  },
});

/** Statements that a server of this process sends for the work's HTTP requests, in their order. */
export async function statementsOf(work: () => Promise<unknown>): Promise<Statement[]> {
  const statements: Statement[] = [];
  // Work beside requests, such as polls, is in no such context.
  const onRequest = () => request.enterWith(statements);
  subscribe('http.server.request.start', onRequest);
  await work().finally(() => unsubscribe('http.server.request.start', onRequest));
  return statements;
}

function statementIn([query, values]: unknown[]): Statement {
  const config =
    typeof query === 'object' && query !== null ? { text: '', values: [], ...query } : { text: query, values };
  return { text: String(config.text), values: Array.isArray(config.values) ? config.values : [] };
}

/** Stands in the recorded order's texts wherever another order has another number. */
export const TOKEN = '424242424242';

/** A statement whose values are as PostgreSQL reads them; a value with `token` in it is another one for each order. */
export interface Template {
  text: string;
  values: readonly (string | null)[];
}

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/**
 * Makes of an order's statements those of any order: its own ids and codes are different for each as well. `lasting`
 * are ids of orders from before.
 */
export function templatesOf(statements: readonly Statement[], lasting: readonly string[]): Template[] {
  const newIds: string[] = [];
  const placeOf = (value: string): string => {
    if (!newIds.includes(value)) newIds.push(value);
    return String(newIds.indexOf(value)).padStart(3, '0');
  };
  // Ids of the present, as orders are stored by the times of their ids.
  const time = Date.now().toString(16).padStart(12, '0');
  const distinct = (value: string): string => `${time}7${placeOf(value)}8000${TOKEN}`;
  const template = (value: string): string =>
    value
      .replace(UUID, (id) => (lasting.includes(id) ? id : distinct(id)))
      .replace(/("(?:tracking_code|barcode)":)"([^"]*)"/g, (_, name, code) => `${name}"${TOKEN}${placeOf(code)}"`);
  return statements.map(({ text, values }) => ({
    text,
    values: values.map((value) => (value === null ? null : template(wireForm(value)))),
  }));
}

/** Lists hold ids, integers and bytes only. */
function wireForm(value: unknown): string {
  if (Buffer.isBuffer(value)) return String.raw`\x${value.toString('hex')}`;
  return Array.isArray(value) ? `{${value.map((each) => JSON.stringify(wireForm(each))).join(',')}}` : String(value);
}

const isOneId = (value: string): boolean => value.endsWith(TOKEN) && value.length === 32;

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
