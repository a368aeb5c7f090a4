import { hostname } from 'node:os';
import { type DestinationStream, type Logger, pino, stdTimeFunctions } from 'pino';

import { version } from '../version.js';

export type { Logger } from 'pino';

export const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
type LogLevel = (typeof logLevels)[number];

export interface LogOptions {
  level: LogLevel;
  /** Paths of values to hide, in pino's notation, for example `*.password`. */
  redact?: readonly string[];
  service?: string;
  /** Default: standard output. */
  destination?: DestinationStream;
}

/**
 * Creates a log of JSON lines with ISO times and the name of the process. It logs only fields of errors without
 * secrets.
 */
export function createLog({ level, redact = [], service = 'malote', destination }: LogOptions): Logger {
  const options = {
    level,
    // These fields become text once, not for each line.
    base: { service, version, host: hostname(), pid: process.pid },
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths: [...redact], censor: '[redacted]' },
    serializers: { err: serialiseError, error: serialiseError },
  };
  return destination ? pino(options, destination) : pino(options);
}

const DEEPEST = 4;

// An allow-list. The error of an HTTP client has the request with its credentials, and PostgreSQL's error has the row.
const plainFields = ['code', 'severity', 'constraint', 'table', 'routine', 'syscall', 'statusCode'] as const;

/** The form of an error in a log line: type, message, stack, codes and causes, without credentials. */
function serialiseError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return typeof error === 'string' ? withoutCredentials(error) : typeof error;
  const extra = Object.fromEntries(
    plainFields.flatMap((field) => {
      const value: unknown = Reflect.get(error, field);
      return typeof value === 'string' || typeof value === 'number' ? [[field, value]] : [];
    }),
  );
  return {
    type: error.name,
    message: withoutCredentials(error.message),
    ...extra,
    stack: withoutCredentials(error.stack ?? ''),
    ...(depth < DEEPEST && error.cause !== undefined && { cause: serialiseError(error.cause, depth + 1) }),
    ...(depth < DEEPEST &&
      error instanceof AggregateError && { errors: error.errors.map((each) => serialiseError(each, depth + 1)) }),
  };
}

/** Removes the user part of `scheme://user:password@host` everywhere in the text. */
const withoutCredentials = (text: string): string => text.replace(/:\/\/[^\s/@]{1,512}@/g, '://[redacted]@');
