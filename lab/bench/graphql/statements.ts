import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import pg from 'pg';

/** A statement in the form that the driver gets. */
export interface Statement {
  text: string;
  values: readonly unknown[];
}

const request = new AsyncLocalStorage<Statement[]>();

// Replaced before any connection is made, because the service's pool then keeps the driver's `query`.
pg.Client.prototype.query = new Proxy(pg.Client.prototype.query, {
  apply: (query, self, args: unknown[]) => {
    request.getStore()?.push(statementIn(args));
    return Reflect.apply(query, self, args);
  },
});

/** The statements that a server in this process sends for the HTTP requests of `work`, in order. */
export async function statementsOf(work: () => Promise<unknown>): Promise<Statement[]> {
  const statements: Statement[] = [];
  // Other work, such as polls, runs outside this context.
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

/** Marks the places in the recorded texts where each order has a different number. */
export const TOKEN = '424242424242';

/** A statement with its values in PostgreSQL's notation. A value that contains `token` differs for each order. */
export interface Template {
  text: string;
  values: readonly (string | null)[];
}

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/**
 * Turns the statements of one order into templates: ids and codes also differ for each order. `lasting` lists ids of
 * records that exist before the order.
 */
export function templatesOf(statements: readonly Statement[], lasting: readonly string[]): Template[] {
  const newIds: string[] = [];
  const placeOf = (value: string): string => {
    if (!newIds.includes(value)) newIds.push(value);
    return String(newIds.indexOf(value)).padStart(3, '0');
  };
  // Ids of the present, because the time in an id decides where its order is stored.
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

/** Lists hold only ids, integers and bytes. */
function wireForm(value: unknown): string {
  if (Buffer.isBuffer(value)) return String.raw`\x${value.toString('hex')}`;
  return Array.isArray(value) ? `{${value.map((each) => JSON.stringify(wireForm(each))).join(',')}}` : String(value);
}

const isOneId = (value: string): boolean => value.endsWith(TOKEN) && value.length === 32;

/** The templates as a pgbench script, and its variables. */
export function pgbenchScript(templates: readonly Template[]): { script: string; variables: Map<string, string> } {
  const variables = new Map<string, string>();
  const lines = templates.map(({ text, values }, at) =>
    text.replace(/\$(\d+)/g, (_, number: string) => {
      const value = values[Number(number) - 1];
      if (value === null || value === undefined) return 'null';
      // A variable of pgbench cannot be empty.
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
