import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import pg from 'pg';

/** A statement as the driver was given it. */
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

/** Whatever the work's HTTP requests make a server of this process send to the database, in its order. */
export async function statementsOf(work: () => Promise<unknown>): Promise<Statement[]> {
  const statements: Statement[] = [];
  // What goes on beside requests, such as polls, is in no such context.
  const onRequest = () => request.enterWith(statements);
  subscribe('http.server.request.start', onRequest);
  await work().finally(() => unsubscribe('http.server.request.start', onRequest));
  return statements;
}

function statementIn([given, values]: unknown[]): Statement {
  const config =
    typeof given === 'object' && given !== null ? { text: '', values: [], ...given } : { text: given, values };
  return { text: String(config.text), values: Array.isArray(config.values) ? config.values : [] };
}
