import { GraphQLError } from 'graphql';
import { type DetailCode, type ErrorCode, malformed, ServiceError, statusOf } from '../base/errors.js';
import type { Logger } from '../base/telemetry/log.js';
import { reportError, serviceErrorOf } from '../http/errors.js';

/** Makes the error that the client sees. It takes the place of `at`. */
export function errorOf({ code, reason, message, details }: ServiceError, at?: GraphQLError): GraphQLError {
  const extensions = { code, reason, ...(details.length > 0 ? { details } : {}) };
  const { nodes = null, source = null, positions = null, path = null } = at ?? {};
  return new GraphQLError(message, { nodes, source, positions, path, extensions });
}

/** The detail code for the field that names a record, if the record is refused with this error code. */
export const codeOfRecord = (code: ErrorCode): DetailCode => (code === 'NOT_FOUND' ? 'not_found' : 'state');

/** The error that a resolver threw. Undefined if graphql-js itself refuses the document or its variables. */
function thrownBy(error: GraphQLError): unknown {
  const { path, originalError } = error;
  if (path === undefined || originalError === undefined) return undefined;
  // graphql-js sets `nodes` for an argument that it cannot coerce, but not for a result of the wrong type.
  return originalError instanceof GraphQLError && originalError.nodes ? undefined : originalError;
}

const isSyntaxError = ({ message }: Pick<Error, 'message'>): boolean => message.startsWith('Syntax Error');

/** The service error of an error of graphql-js or graphql-http. */
function serviceErrorBehind(error: GraphQLError | Error): ServiceError {
  if (error instanceof ServiceError) return error;
  const thrown = error instanceof GraphQLError ? thrownBy(error) : undefined;
  if (thrown !== undefined) return serviceErrorOf(thrown);
  const message = withoutValues(error.message);
  if (isSyntaxError(error)) return malformed('document_malformed', message);
  return new ServiceError('VALIDATION_ERROR', 'document_invalid', message);
}

const MAX_MESSAGE = 500;

/** Removes the values that graphql-js repeats in its message, because one may be a password. */
function withoutValues(message: string): string {
  const said = isSyntaxError({ message }) ? withoutTokens(message) : withoutInvalid(message);
  return said.slice(0, MAX_MESSAGE).toWellFormed();
}

/** Shortens `Expected Name, found String "…".` and `Invalid number, expected digit but got: "…".` */
const withoutTokens = (message: string): string =>
  message.replace(/\b(Name|Int|Float|String|BlockString|Comment) ".*$/s, '$1.').replace(/(?: but got)?: ".*$/s, '.');

/** Shortens `Argument "input" has invalid value {…}.` */
const withoutInvalid = (message: string): string =>
  message.replace(/ (has|got) (an )?invalid value.*$/s, ' $1 an invalid value.');

/** Hides the details of an error. An error with a code has already been through here. */
export function toPublic(error: Readonly<GraphQLError | Error>): GraphQLError {
  if (!(error instanceof GraphQLError)) return errorOf(serviceErrorBehind(error));
  return error.extensions['code'] === undefined ? errorOf(serviceErrorBehind(error), error) : error;
}

/** Reports the service errors of one result. UNAVAILABLE is reported once. */
export function reportErrors(errors: readonly GraphQLError[], log: Logger, request: object): ServiceError[] {
  const serviceErrors = errors.map(serviceErrorBehind);
  const outOfReach = serviceErrors.find(({ code }) => code === 'UNAVAILABLE');
  for (const error of serviceErrors) {
    if (error.code !== 'UNAVAILABLE' || error === outOfReach) reportError(error, log, request);
  }
  return serviceErrors;
}

export const gravest = (errors: readonly ServiceError[]): ServiceError | undefined =>
  errors.toSorted((one, other) => statusOf(other.code) - statusOf(one.code))[0];

// Under application/json, only 200 certainly comes from the service itself (GraphQL over HTTP, 6.4.1). So mistakes in
// the document answer 200. The other codes tell a client whether and when to send the request again.
const answeredWith200: readonly ErrorCode[] = ['VALIDATION_ERROR', 'MALFORMED_REQUEST', 'UNAUTHENTICATED'];

/** HTTP status of an answer to a well-formed request whose `data` is null or absent. */
export function statusUnder(contentType: string, code: ErrorCode): number {
  return contentType.startsWith('application/json') && answeredWith200.includes(code) ? 200 : statusOf(code);
}
