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

/**
 * Says why something failed: in words, or by a well-known code of the system such as ECONNREFUSED. Codes of PostgreSQL
 * and TLS are not well known. fetch hides the socket's error in `cause`; for a name with several addresses that is a
 * list.
 */
export function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.errors.length > 0) return reasonOf(error.errors[0]);
  if (!(error instanceof Error)) return String(error);
  if (error.cause !== undefined) return reasonOf(error.cause);
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return code !== undefined && ('syscall' in error || error.message === '') ? code : error.message;
}
