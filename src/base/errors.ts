/** The HTTP status of each code. */
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

/** The words of a text, separated by spaces. */
type Words<Text extends string> = Text extends `${infer Word} ${infer Rest}` ? Word | Words<Rest> : Text;

/** The reasons that each code can have. */
interface Reasons {
  VALIDATION_ERROR: Words<'invalid_fields picture_unreadable fiscal_document_required document_invalid'>;
  MALFORMED_REQUEST: Words<'body_malformed request_malformed document_malformed'>;
  UNAUTHENTICATED: Words<'token_missing token_invalid api_key_missing api_key_invalid login_failed link_invalid'>;
  FORBIDDEN:
    | Words<'role_not_allowed scope_not_allowed member_role_not_allowed order_state'>
    | Words<'second_factor_required reauthentication_required own_second_factor'>;
  NOT_FOUND: Words<'record_not_found pin_not_found proof_not_found second_factor_not_found path_not_found'>;
  METHOD_NOT_ALLOWED: 'method_not_allowed';
  NOT_ACCEPTABLE: 'not_acceptable';
  CONFLICT:
    | Words<'idempotency_in_progress idempotency_other_interface idempotency_answer_erased'>
    | Words<'email_taken external_id_taken sku_taken fiscal_key_taken status_code_taken url_taken movement_id_taken'>
    | Words<'price_changed order_state order_changed return_exists'>
    | Words<'package_final package_not_final reopening_too_late package_not_delivered request_not_possible request_open package_state'>
    | Words<'package_cancelled package_erased package_listed collection_state'>
    | Words<'pin_required pin_blocked picture_exists task_done no_answer_needed answers_waiting'>
    | Words<'delivery_waiting delivery_not_repeatable endpoint_disabled endpoint_held'>
    | Words<'account_deleted account_not_deleted account_held account_erased'>
    | Words<'too_many_api_keys too_many_members account_sign_in last_operator second_factor_exists sign_in_ended'>;
  PRECONDITION_FAILED: 'version_changed';
  PAYLOAD_TOO_LARGE: Words<'body_too_large headers_too_large'>;
  UNSUPPORTED_MEDIA_TYPE: Words<'media_type_unsupported encoding_unsupported'>;
  IDEMPOTENCY_KEY_REUSED: 'idempotency_key_reused';
  RATE_LIMITED:
    | Words<'hourly_budget too_many_failures requests_in_flight bodies_in_flight labels_in_flight tables_in_flight'>
    | 'webhook_budget';
  INTERNAL_ERROR: 'internal_error';
  UNAVAILABLE: Words<'unavailable bodies_in_flight labels_in_flight pictures_in_flight'>;
}

export type ReasonOf<Code extends ErrorCode> = Reasons[Code];

/** `unspecified` is the reason of stored answers that have none. */
export type ErrorReason = Reasons[ErrorCode] | 'unspecified';

/** Codes of faults in a field. */
export type DetailCode =
  | Words<'required unknown_field type pattern unknown_value duplicate contradiction not_allowed not_found'>
  | Words<'too_short too_long too_small too_large too_few too_many too_early too_late'>
  | Words<'not_placed not_collected not_delivered not_offered overlap no_workday'>
  | Words<'unreachable check_digits incorrect expired taken state changed unreadable'>
  | Words<'unused more_errors unspecified'>;

/** The least seconds of Retry-After, for each reason for which the same request makes sense again. */
const leastSeconds = {
  idempotency_in_progress: 1,
  hourly_budget: 1,
  too_many_failures: 1,
  requests_in_flight: 1,
  bodies_in_flight: 1,
  labels_in_flight: 1,
  tables_in_flight: 10,
  webhook_budget: 1,
  pictures_in_flight: 1,
  unavailable: 1,
} as const;

/** All words of errors, as in the contract. An interface with a different word does not compile. */
export interface ErrorWords {
  statuses: typeof statuses;
  reasons: Reasons;
  reason: ErrorReason;
  detail: DetailCode;
  leastSeconds: typeof leastSeconds;
}

const pauses: Partial<Record<ErrorReason, number>> = leastSeconds;

/** `field` is a dotted path in the domain's own names, e.g. `packages.0.pickupIndex`. */
export interface FieldError {
  field: string;
  code: DetailCode;
  message: string;
  /** The account's order that caused the error. */
  orderId?: string;
  /** The correct total, as money. */
  total?: string;
  /** The first possible day, `YYYY-MM-DD`. */
  firstDate?: string;
  /** The reason of the whole refusal, if this field decides it. */
  reason?: ErrorReason;
}

interface ServiceErrorOptions {
  details?: readonly FieldError[];
  /** True if there are more details than these. */
  isPartial?: boolean;
  headers?: Readonly<Record<string, string>>;
  /** Seconds until the request may be repeated, for a reason for which that makes sense. */
  retryAfter?: number | undefined;
  cause?: unknown;
}

// Bounds of a refusal: most details, characters of a field's name, and bytes of all details.
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

/**
 * A refusal or failure. Everything in it is public except `cause`, which is only logged. It has at most a hundred
 * details.
 */
export class ServiceError extends Error {
  readonly details: readonly FieldError[];
  readonly isPartial: boolean;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    readonly code: ErrorCode,
    readonly reason: ErrorReason,
    message: string,
    { details = [], isPartial = false, headers, retryAfter = 0, cause }: ServiceErrorOptions = {},
  ) {
    const listed = withinBounds(details);
    const hasMore = isPartial || listed.length < details.length;
    const note = hasMore ? ` Only the first ${listed.length} faults are listed.` : '';
    super(message + note, cause === undefined ? undefined : { cause });
    this.name = 'ServiceError';
    this.details = listed;
    this.isPartial = hasMore;
    const seconds = pauses[reason];
    const pause = seconds && { 'Retry-After': String(Math.max(seconds, Math.ceil(retryAfter))) };
    this.headers = { ...pause, ...headers };
  }
}

export const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(statuses, code);

export const statusOf = (code: ErrorCode): number => statuses[code];

/** Tells whether the same request makes sense again. */
export const isRepeatable = ({ reason }: Pick<ServiceError, 'reason'>): boolean => pauses[reason] !== undefined;

/** Makes a function that creates errors of one code, with the reasons of that code only. */
const errorsOf =
  <Code extends ErrorCode>(code: Code) =>
  (reason: ReasonOf<Code>, message: string, options?: ServiceErrorOptions): ServiceError =>
    new ServiceError(code, reason, message, options);

export const malformed = errorsOf('MALFORMED_REQUEST');
export const forbidden = errorsOf('FORBIDDEN');
export const methodNotAllowed = errorsOf('METHOD_NOT_ALLOWED');
export const notAcceptable = errorsOf('NOT_ACCEPTABLE');
export const conflict = errorsOf('CONFLICT');
export const tooLarge = errorsOf('PAYLOAD_TOO_LARGE');
export const unsupported = errorsOf('UNSUPPORTED_MEDIA_TYPE');
export const rateLimited = errorsOf('RATE_LIMITED');

export const invalid = (
  details: readonly FieldError[],
  options: Pick<ServiceErrorOptions, 'isPartial' | 'cause'> = {},
): ServiceError => {
  const reason = details.find((detail) => detail.reason)?.reason ?? 'invalid_fields';
  return new ServiceError('VALIDATION_ERROR', reason, 'The request is not valid.', { ...options, details });
};

export const invalidField = (field: string, code: DetailCode, message: string): ServiceError =>
  invalid([{ field, code, message }]);

/** WWW-Authenticate values (RFC 9110, 11.6.1). */
const challenges: Readonly<Record<ReasonOf<'UNAUTHENTICATED'>, string>> = {
  token_missing: 'Bearer',
  token_invalid: 'Bearer error="invalid_token"',
  login_failed: 'Bearer',
  link_invalid: 'Bearer',
  api_key_missing: 'ApiKey realm="malote"',
  api_key_invalid: 'ApiKey realm="malote"',
};

export const unauthenticated = (reason: ReasonOf<'UNAUTHENTICATED'>, message: string): ServiceError =>
  new ServiceError('UNAUTHENTICATED', reason, message, { headers: { 'WWW-Authenticate': challenges[reason] } });

/**
 * `what` names the kind of record, for example `'order'`. An absent record gets the same text as another account's
 * record.
 */
export const notFound = (what: string, reason: ReasonOf<'NOT_FOUND'> = 'record_not_found'): ServiceError =>
  new ServiceError('NOT_FOUND', reason, `No such ${what}.`);

export const preconditionFailed = (): ServiceError =>
  new ServiceError('PRECONDITION_FAILED', 'version_changed', 'The record has changed since it was read.');

export const unavailable = (
  cause?: unknown,
  retryAfter?: number,
  reason: ReasonOf<'UNAVAILABLE'> = 'unavailable',
): ServiceError =>
  new ServiceError('UNAVAILABLE', reason, 'The service cannot answer now; try again.', { cause, retryAfter });

/** Refuses a login, password or code because too many attempts failed before. */
export const tooManyFailures = ({ retryAfterSeconds: retryAfter }: { retryAfterSeconds: number }): ServiceError =>
  rateLimited('too_many_failures', 'Too many wrong passwords or codes.', { retryAfter });
