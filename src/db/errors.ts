import { types } from 'node:util';

// isNativeError instead of instanceof, because an error of Node's own may come from another realm, as in Jest.

/** SQLSTATE of a PostgreSQL error, or the system's code of a failed connection. Empty for other errors. */
const codeOf = (error: unknown): string => fieldOf(error, 'code') ?? '';

function fieldOf(error: unknown, field: 'code' | 'constraint' | 'routine' | 'column'): string | undefined {
  const value: unknown = types.isNativeError(error) ? Reflect.get(error, field) : undefined;
  return typeof value === 'string' ? value : undefined;
}

/** Makes a function that returns the constraint or index of a violation. Undefined for any other error. */
const violationOf = (code: string) => (error: unknown) =>
  codeOf(error) === code ? (fieldOf(error, 'constraint') ?? '') : undefined;
export const uniqueViolation = violationOf('23505');
export const foreignKeyViolation = violationOf('23503');

/** Tells whether a migration has changed the result of a prepared statement. It works if it is prepared again. */
export function isStalePlan(error: unknown): boolean {
  return codeOf(error) === '0A000' && fieldOf(error, 'routine') === 'RevalidateCachedQuery';
}

/** Tells whether a pooler gave another connection than the one that prepared the statement, which was not run. */
export function isForeignStatement(error: unknown): boolean {
  return ['26000', '42P05'].includes(codeOf(error));
}

/** Tells whether the lanes of an endpoint were replaced while the enqueuing statement waited for its lock. */
function missedLanes(error: unknown): boolean {
  return codeOf(error) === '23502' && fieldOf(error, 'column') === 'lane_id';
}

/** Tells whether the role lacks the right to do this. */
export const isForbidden = (error: unknown): boolean => codeOf(error) === '42501';

export const isLockTimeout = (error: unknown): boolean => codeOf(error) === '55P03';

/** Tells whether the failed transaction has done nothing, and may succeed when it runs again. */
export function isRetryable(error: unknown): boolean {
  return (
    ['40001', '40P01'].includes(codeOf(error)) || isStalePlan(error) || isForeignStatement(error) || missedLanes(error)
  );
}

// PostgreSQL's appendix A: 08 connection, 53 resources, 57P0x shut down or starting, 57014 statement timeout, 55000 not
// in the needed state, 55P03 lock timeout, 25P03/25P04 transaction timeouts, 25006 read-only, 58030 I/O. 40xxx counts
// if it persists through the retries. The others are Node's codes of a failed connection.
const UNAVAILABLE =
  /^(08...|53...|57P0\d|57014|55000|55P03|25P0[34]|25006|58030|40001|40P01|E(CONN(REFUSED|RESET|ABORTED)|PIPE|TIMEDOUT|HOSTUNREACH|NETUNREACH|NOTFOUND|AI_AGAIN))$/;

// Messages of the driver's own errors, which have no code.
const driver = [
  'timeout exceeded when trying to connect',
  'Connection terminated',
  'Client has encountered a connection error',
  'Client was closed',
  'Cannot use a pool after calling end',
  'driver has already been destroyed',
  'Query read timeout',
];

/** Tells whether a new row has no partition. One is made within the hour, or by the owner of the schema. */
const lacksPartition = (error: Error): boolean =>
  codeOf(error) === '23514' && fieldOf(error, 'constraint') === undefined && /^no partition of/.test(error.message);

/** Tells whether the server takes no writes. It is a standby, or became one while its connections stayed open. */
export const isReadOnly = (error: unknown): boolean => codeOf(error) === '25006';

export const isDiskFull = (error: unknown): boolean => codeOf(error) === '53100';

/** Tells whether the database could not answer now: unreachable, shutting down, exhausted, or out of time. */
export function isUnavailable(error: unknown): boolean {
  if (!types.isNativeError(error)) return false;
  if (UNAVAILABLE.test(codeOf(error)) || lacksPartition(error)) return true;
  // The server of this Unix socket does not run.
  if (codeOf(error) === 'ENOENT' && Reflect.get(error, 'syscall') === 'connect') return true;
  return driver.some((message) => error.message.startsWith(message));
}

/** SQLSTATEs of a statement that certainly did nothing. Errors of a broken connection are not among them. */
const UNDONE = /^(?!08|57P0[12])\d/;

/** Tells whether the connection was lost before the answer. The statement, or the commit, may have been done. */
export const isAnswerLost = (error: unknown): boolean => isUnavailable(error) && !UNDONE.test(codeOf(error));
