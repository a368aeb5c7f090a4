import type { ErrorCode, ErrorReason, FieldError } from './contract.js';

/** An error answer; see https://www.rfc-editor.org/rfc/rfc9110 for its status. */
export interface ErrorAnswer {
  status: number;
  /** `UNKNOWN` if the answer does not come from the service, but from a proxy, for example. */
  code: ErrorCode | 'UNKNOWN';
  /** The reason. Undefined if the answer does not come from the service. */
  reason: ErrorReason | undefined;
  message: string;
  details: readonly FieldError[];
  /** Quote this id when you ask for help. */
  requestId: string | undefined;
  /** Seconds to wait before the next try, if the service gives them. */
  retryAfter: number | undefined;
}

/**
 * The service refused. Decide by `reason`. New reasons may be added: decide by `code` if you do not know the reason.
 */
export class MaloteError extends Error implements ErrorAnswer {
  override readonly name = 'MaloteError';
  readonly status: number;
  readonly code: ErrorCode | 'UNKNOWN';
  readonly reason: ErrorReason | undefined;
  /** Each wrong field, with its dotted path and a `code`. Empty if no field is wrong. */
  readonly details: readonly FieldError[];
  readonly requestId: string | undefined;
  readonly retryAfter: number | undefined;

  constructor({ status, code, reason, message, details, requestId, retryAfter }: ErrorAnswer) {
    // A log shows only the message, so it has the wrong fields, too.
    super([message, ...details.map((wrong) => `${wrong.field} ${wrong.message}`)].join(' '));
    this.status = status;
    this.code = code;
    this.reason = reason;
    this.details = details;
    this.requestId = requestId;
    this.retryAfter = retryAfter;
  }
}

/**
 * No answer came. The network failed (`cause`), or a try took longer than `timeoutMs`. The service may have carried out
 * the request.
 */
export class MaloteConnectionError extends Error {
  override readonly name = 'MaloteConnectionError';
}

/**
 * The request is not from the service, or it was changed, or it was sent again much later. Answer 401 and do nothing
 * else.
 */
export class WebhookVerificationError extends Error {
  override readonly name = 'WebhookVerificationError';
}

/** True if the service refused for one of these reasons. */
export function isRefusedFor<Reason extends ErrorReason>(
  error: unknown,
  ...reasons: Reason[]
): error is MaloteError & { reason: Reason } {
  return error instanceof MaloteError && reasons.some((reason) => reason === error.reason);
}

/** True if the service refused with one of these codes. Without codes, any code matches. */
export function isMaloteError<Code extends ErrorCode>(
  error: unknown,
  ...codes: Code[]
): error is MaloteError & { code: Code } {
  return error instanceof MaloteError && (codes.length === 0 || codes.some((code) => code === error.code));
}

type Fields = Readonly<Record<string, unknown>>;

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Reads the error of an answer: of REST (`error`), OAuth (`error` is a text) or GraphQL (`errors`). */
export function errorOf(response: Pick<Response, 'status' | 'headers'>, body: unknown): MaloteError {
  const { code, reason, message, details } = saidIn(body);
  const wait = response.headers.get('retry-after');
  return new MaloteError({
    status: response.status,
    code: typeof code === 'string' ? (code as ErrorCode) : 'UNKNOWN',
    reason: typeof reason === 'string' ? (reason as ErrorReason) : undefined,
    message: typeof message === 'string' ? message : `The service answered ${response.status}.`,
    details: Array.isArray(details) ? details : [],
    requestId: response.headers.get('x-request-id') ?? undefined,
    retryAfter: wait === null ? undefined : secondsOf(wait),
  });
}

function saidIn(body: unknown): Fields {
  const { error, error_description: message, errors }: Fields = isFields(body) ? body : {};
  if (isFields(error)) return error;
  if (error === 'invalid_client') return { code: 'UNAUTHENTICATED', message };
  const [first]: unknown[] = Array.isArray(errors) ? errors : [];
  if (!isFields(first)) return {};
  const said: Fields = isFields(first['extensions']) ? first['extensions'] : {};
  return {
    message: first['message'],
    code: said['code'],
    reason: said['reason'],
    details: said['details'] ?? said['errors'],
  };
}

/** Reads Retry-After: seconds or a date. */
function secondsOf(text: string): number | undefined {
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, Math.ceil(seconds)) : undefined;
}
