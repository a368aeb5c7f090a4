/** The codes of contracts/guides/errors.md, and the HTTP statuses of their answers. */
const statuses = {
  VALIDATION_ERROR: 400,
  MALFORMED_REQUEST: 400,
  UNAUTHENTICATED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  NOT_ACCEPTABLE: 406,
  CONFLICT: 409,
  PRECONDITION_FAILED: 412,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  IDEMPOTENCY_KEY_REUSED: 422,
  RATE_LIMITED: 429,
  INTERNAL_ERROR: 500,
  UNAVAILABLE: 503,
} as const;

export type ErrorCode = keyof typeof statuses;

/** Reasons of a refusal, where the code alone does not tell (contracts/guides/errors.md#reasons). */
export type ErrorReason =
  | 'requests_in_flight'
  | 'bodies_in_flight'
  | 'labels_in_flight'
  | 'second_factor_required'
  | 'reauthentication_required'
  | 'picture_unreadable'
  | 'price_changed'
  | 'fiscal_key_taken'
  | 'fiscal_document_required';

/** `field` is a dotted path in the domain's own names, e.g. `packages.0.pickupIndex`. */
export interface FieldError {
  field: string;
  message: string;
  /** The account's order that is the reason. */
  orderId?: string;
  /** The total that counts, as money. */
  total?: string;
  /** The refusal's, where it gives none itself. */
  reason?: ErrorReason;
}

interface ServiceErrorOptions {
  reason?: ErrorReason | undefined;
  details?: readonly FieldError[];
  /** True when there are more details than these. */
  isPartial?: boolean;
  headers?: Readonly<Record<string, string>>;
  cause?: unknown;
}

// Bounds of a refusal: details listed, characters of a field's name, bytes of all details.
const MAX_DETAILS = 100;
const MAX_FIELD = 200;
const MAX_BYTES = 32_768;

function withinBounds(details: readonly FieldError[]): readonly FieldError[] {
  const listed: FieldError[] = [];
  let bytesLeft = MAX_BYTES;
  for (const { field, ...rest } of details.slice(0, MAX_DETAILS)) {
    const detail = { field: field.slice(0, MAX_FIELD).toWellFormed(), ...rest };
    bytesLeft -= Buffer.byteLength(JSON.stringify(detail));
    if (bytesLeft < 0) break;
    listed.push(detail);
  }
  return listed;
}

/** A refusal or failure, public but for `cause`, which is logged. At most a hundred details are listed. */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  readonly reason: ErrorReason | undefined;
  readonly details: readonly FieldError[];
  readonly isPartial: boolean;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ErrorCode,
    message: string,
    { reason, details = [], isPartial = false, headers = {}, cause }: ServiceErrorOptions = {},
  ) {
    const listed = withinBounds(details);
    const hasMore = isPartial || listed.length < details.length;
    const note = hasMore ? ` Only the first ${listed.length} faults are listed.` : '';
    super(message + note, cause === undefined ? undefined : { cause });
    this.name = 'ServiceError';
    this.code = code;
    this.reason = reason ?? details.find((detail) => detail.reason)?.reason;
    this.details = listed;
    this.isPartial = hasMore;
    this.headers = headers;
  }
}

export const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(statuses, code);

export const statusOf = (code: ErrorCode): number => statuses[code];

export const invalid = (details: readonly FieldError[], message = 'The request is not valid.'): ServiceError =>
  new ServiceError('VALIDATION_ERROR', message, { details });

export const malformed = (message: string, cause?: unknown): ServiceError =>
  new ServiceError('MALFORMED_REQUEST', message, { cause });

/** `challenge` is the WWW-Authenticate value (RFC 9110, 11.6.1) of the scheme that the edge speaks. */
export const unauthenticated = (message: string, challenge: string): ServiceError =>
  new ServiceError('UNAUTHENTICATED', message, { headers: { 'WWW-Authenticate': challenge } });

export const forbidden = (message: string, reason?: ErrorReason): ServiceError =>
  new ServiceError('FORBIDDEN', message, { reason });

/** `what` names the kind of thing, e.g. `'order'`; what is absent and what is another account's read the same. */
export const notFound = (what: string): ServiceError => new ServiceError('NOT_FOUND', `No such ${what}.`);

export const conflict = (message: string, details: readonly FieldError[] = [], reason?: ErrorReason): ServiceError =>
  new ServiceError('CONFLICT', message, { details, reason });

export const preconditionFailed = (message = 'The record has changed since it was read.'): ServiceError =>
  new ServiceError('PRECONDITION_FAILED', message);

export const rateLimited = (message: string, retryAfterSeconds: number, reason?: ErrorReason): ServiceError =>
  new ServiceError('RATE_LIMITED', message, { reason, headers: retryAfter(retryAfterSeconds) });

export const unavailable = (cause?: unknown, retryAfterSeconds = 1, reason?: ErrorReason): ServiceError =>
  new ServiceError('UNAVAILABLE', 'The service cannot answer now; try again.', {
    reason,
    headers: retryAfter(retryAfterSeconds),
    cause,
  });

const retryAfter = (seconds: number) => ({ 'Retry-After': String(Math.max(1, Math.ceil(seconds))) });
