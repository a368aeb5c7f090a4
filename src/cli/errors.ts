import { FileError } from '../files/text-file.js';

/** The exit code: 0 success, 1 refused by the service, 2 wrong usage, 3 service not reachable. */
export type ExitCode = 0 | 1 | 2 | 3;

/** Ends a command; its message is one line for a person. */
export class CommandError extends Error {
  override name = 'CommandError';

  constructor(
    message: string,
    readonly exitCode: Exclude<ExitCode, 0>,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** An answer of the service that is not a success. */
export class RefusedError extends CommandError {
  override name = 'RefusedError';

  constructor(
    readonly status: number,
    message: string,
    /** The error code and the reason of the service. */
    readonly code?: string,
    readonly reason?: string,
  ) {
    super(message, status >= 502 ? 3 : 1);
  }
}

export const wrongUsage = (message: string): CommandError => new CommandError(message, 2);

export const unreachable = (url: string, cause: unknown): CommandError =>
  new CommandError(`No Malote service answers at ${url} (${reasonOf(cause)}). Is it running? See --url.`, 3, {
    cause,
  });

/** Does work whose only possible failure is wrong usage. */
export async function orWrongUsage<T>(message: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch {
    throw wrongUsage(message);
  }
}

/** Throws wrong usage for a file that cannot be read. Throws any other error again. */
export function throwUnreadable(error: unknown): never {
  if (error instanceof FileError) throw wrongUsage(error.message);
  throw error instanceof Error && 'syscall' in error ? wrongUsage(`The file cannot be read: ${error.message}`) : error;
}

/** The answer of the service. Undefined if the record does not exist. */
export const orAbsent = <T>(answer: Promise<T>): Promise<T | undefined> =>
  answer.catch((error: unknown) => {
    if (error instanceof RefusedError && error.status === 404) return undefined;
    throw error;
  });

/** fetch hides the socket's error in `cause`, and there in a list when a name has several addresses. */
function rootOf(error: unknown): unknown {
  if (error instanceof AggregateError && error.errors.length > 0) return rootOf(error.errors[0]);
  return error instanceof Error && error.cause !== undefined ? rootOf(error.cause) : error;
}

/** The code of PostgreSQL, of TLS or of the system; undefined for an error without one. */
export function codeOf(error: unknown): string | undefined {
  const root = rootOf(error);
  return root instanceof Error && 'code' in root && typeof root.code === 'string' ? root.code : undefined;
}

/** The reason in words, or a code of the system such as ECONNREFUSED, which is well known. */
export function reasonOf(error: unknown): string {
  const root = rootOf(error);
  if (!(root instanceof Error)) return String(root);
  return 'syscall' in root || root.message === '' ? (codeOf(root) ?? root.message) : root.message;
}
