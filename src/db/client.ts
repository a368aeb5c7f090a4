import type pg from 'pg';
import type { Logger } from '../base/log.js';
import { isStalePlan } from './errors.js';

export interface HardenOptions {
  log: Logger;
  /** Names of prepared statements by text, shared by the pool's connections; none are prepared when undefined. */
  names: Map<string, string> | undefined;
}

/**
 * Makes one connection of the pool robust: it survives being cut while a transaction holds it, prepares its
 * statements, gives up on a server that stopped answering, and reports a COMMIT that PostgreSQL turned into a rollback.
 */
export function harden(client: pg.PoolClient, { log, names }: HardenOptions): void {
  // The pool listens on idle connections only; without this, a cut between two statements ends the process.
  client.on('error', ({ message }) => log.warn({ reason: message }, 'a database connection was lost'));
  client.query = new Proxy(client.query, {
    apply(query, self, args: unknown[]) {
      const [text, values, callback] = args;
      if (typeof text !== 'string' || callback !== undefined) return Reflect.apply(query, self, args);
      const send = () => Reflect.apply(query, self, named(names, text, values));
      return answer(send, { client, names, text });
    },
  });
}

interface Sent {
  client: pg.PoolClient;
  names: Map<string, string> | undefined;
  text: string;
}

async function answer(send: () => Promise<unknown>, sent: Sent): Promise<unknown> {
  try {
    return committed(sent.text, await send());
  } catch (error) {
    if (!(await recover(error, sent))) throw error;
    return send();
  }
}

/** Whether sending the statement again can help. */
async function recover(error: unknown, { client, names, text }: Sent): Promise<boolean> {
  if (error instanceof Error && error.message === 'Query read timeout') {
    // Its late answer would be taken for the next statement's: the socket is destroyed, the pool drops it.
    void client.end();
    return false;
  }
  if (!names || !isStalePlan(error)) return false;
  rename(names, text);
  return client.getTransactionStatus() === 'I';
}

/** A transaction in which a statement failed answers COMMIT with ROLLBACK and no error: nothing was kept. */
function committed(text: string, result: unknown): unknown {
  if (text !== 'commit' || typeof result !== 'object' || result === null) return result;
  if (Reflect.get(result, 'command') !== 'ROLLBACK') return result;
  throw new Error('the transaction was rolled back: a statement in it had failed and its error was swallowed');
}

// Each text is kept by each connection, here and in PostgreSQL; texts of varying length (lists) could be endless.
const mostNames = 500;
let made = 0;

/** Arguments that prepare the statement. Without values it may hold several statements, which cannot be prepared. */
function named(names: Map<string, string> | undefined, text: string, values: unknown): unknown[] {
  if (!names || !Array.isArray(values) || values.length === 0) return [text, values];
  const name = names.get(text) ?? (names.size < mostNames ? rename(names, text) : undefined);
  return name === undefined ? [text, values] : [{ name, text, values }];
}

function rename(names: Map<string, string>, text: string): string {
  made += 1;
  const name = `m${made}`;
  names.set(text, name);
  return name;
}
