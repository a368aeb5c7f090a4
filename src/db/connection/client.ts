import { createHash } from 'node:crypto';
import type pg from 'pg';
import { DAY_MS } from '../../base/clock.js';
import type { Logger } from '../../base/telemetry/log.js';
import { isForeignStatement, isReadOnly, isStalePlan } from '../errors.js';

export interface HardenOptions {
  log: Logger;
  /** Shared by the connections of the pool. Undefined means that nothing is prepared. */
  statements: Statements | undefined;
  /** `set local …`, sent with every transaction behind a pooler, which keeps no settings of a connection. */
  limits: string | undefined;
  /** True after the pool was told to end. The loss of a connection is not logged then. */
  isEnding: () => boolean;
}

/** Makes a connection survive cuts, prepare statements, give up on a silent server, and report a lost COMMIT. */
export function harden(client: pg.PoolClient, { log, statements, limits, isEnding }: HardenOptions): void {
  // The pool listens only to idle connections. Without this listener, a cut between two statements would end the
  // process.
  client.on('error', ({ message }) => {
    if (!isEnding()) log.warn({ reason: message }, 'database.connection_lost');
  });
  const leave = leavesReadOnly(client);
  client.query = new Proxy(client.query, {
    apply(query, self, args: unknown[]) {
      const [text, values, callback] = args;
      if (typeof text !== 'string' || callback !== undefined) return Reflect.apply(query, self, args);
      const run = (...request: unknown[]): Promise<unknown> => Reflect.apply(query, self, request);
      const statement = () => run(...prepared(statements, text, values));
      const send = limits === undefined ? statement : () => limited({ client, run, limits, text, statement });
      return leave(answer(send, { client, statements, text }));
    },
  });
}

/**
 * Ends a connection to a read-only server when its transaction is over. The next connection may find a better server.
 */
function leavesReadOnly(client: pg.PoolClient): (answering: Promise<unknown>) => Promise<unknown> {
  let readOnly = false;
  return async (answering) => {
    try {
      return await answering;
    } catch (error) {
      readOnly ||= isReadOnly(error);
      throw error;
    } finally {
      if (readOnly && client.getTransactionStatus() === 'I') void client.end();
    }
  };
}

interface Limited {
  client: pg.PoolClient;
  run: (text: string) => Promise<unknown>;
  limits: string;
  text: string;
  statement: () => Promise<unknown>;
}

/**
 * Sends a statement with limits. If no transaction is open, sends it in one of its own, without waiting between the
 * steps.
 */
async function limited({ client, run, limits, text, statement }: Limited): Promise<unknown> {
  if (text === 'begin') return run(`begin; ${limits}`);
  if (text === 'commit' || text === 'rollback' || client.getTransactionStatus() !== 'I') return statement();
  const [opened, result, closed] = await Promise.allSettled([run(`begin; ${limits}`), statement(), run('commit')]);
  if (result.status === 'rejected') throw result.reason;
  for (const step of [opened, closed]) if (step.status === 'rejected') throw step.reason;
  return result.value;
}

interface Sent {
  client: pg.PoolClient;
  statements: Statements | undefined;
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

/** Repairs the connection after an error. Resolves to true if the statement may be sent again. */
async function recover(error: unknown, { client, statements, text }: Sent): Promise<boolean> {
  if (error instanceof Error && error.message === 'Query read timeout') {
    // A late answer would be taken for the answer to the next statement. So the socket is closed, and the pool drops
    // it.
    void client.end();
    return false;
  }
  if (!statements) return false;
  if (isStalePlan(error)) statements.renew(text);
  else if (isForeignStatement(error)) statements.giveUp();
  else return false;
  return client.getTransactionStatus() === 'I';
}

/**
 * Checks the answer to a COMMIT. If a statement in the transaction had failed, the answer is ROLLBACK, without an
 * error.
 */
function committed(text: string, result: unknown): unknown {
  if (text !== 'commit' || typeof result !== 'object' || result === null) return result;
  if (Reflect.get(result, 'command') !== 'ROLLBACK') return result;
  throw new Error('the transaction was rolled back: a statement in it had failed and its error was swallowed');
}

/**
 * Arguments that prepare the statement. Without values a text may have several statements, which cannot be prepared.
 */
function prepared(statements: Statements | undefined, text: string, values: unknown): unknown[] {
  if (!statements || !Array.isArray(values) || values.length === 0) return [text, values];
  const statement = statements.of(text);
  return statement === undefined ? [text, values] : [{ ...statement, values }];
}

type Statement = Record<'name' | 'text', string>;

interface Statements {
  /** The prepared statement of a text. Undefined if it is not prepared. */
  of(text: string): Statement | undefined;
  /** Prepares the text again, because the database's statement is of no use any more. */
  renew(text: string): void;
  giveUp(): void;
}

// Every connection keeps each text, here and in PostgreSQL, and lists would give endlessly many texts.
const MAX_STATEMENTS = 500;

/**
 * Time after which all texts are dropped if the store is full, because texts with past months (near.ts) fill it.
 * Connections keep their statements.
 */
const KEPT_MS = 7 * DAY_MS;

/**
 * Creates a store of prepared statements. Names are hashes of texts, because poolers lend connections to others.
 * `onGiveUp` is called if a pooler loses prepared statements.
 */
export function preparedStatements(onGiveUp: () => void): Statements {
  const byText = new Map<string, Statement>();
  let keptUntil = performance.now() + KEPT_MS;
  let renewals = 0;
  let usable = true;
  const add = (text: string, sent: string): Statement => {
    const statement = { name: `m_${createHash('sha256').update(sent).digest('base64url')}`, text: sent };
    byText.set(text, statement);
    return statement;
  };
  return {
    of: (text: string): Statement | undefined => {
      if (!usable) return undefined;
      if (byText.size === MAX_STATEMENTS && performance.now() > keptUntil) {
        byText.clear();
        keptUntil = performance.now() + KEPT_MS;
      }
      return byText.get(text) ?? (byText.size < MAX_STATEMENTS ? add(text, text) : undefined);
    },
    renew: (text: string): void => {
      // Changes the text as well as the name, because poolers recognise a statement by its text.
      renewals += 1;
      add(text, `${text} /* ${process.pid}.${renewals} */`);
    },
    giveUp: (): void => {
      if (usable) onGiveUp();
      usable = false;
    },
  };
}
