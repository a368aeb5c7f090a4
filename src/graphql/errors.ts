import { GraphQLError } from 'graphql';
import { type DetailCode, type ErrorCode, malformed, ServiceError, statusOf } from '../base/errors.js';
import type { Logger } from '../base/telemetry/log.js';
import { reportError, serviceErrorOf } from '../http/errors.js';

/** An error as the client sees it, at the place of another one. */
export function errorOf({ code, reason, message, details }: ServiceError, at?: GraphQLError): GraphQLError {
  const extensions = { code, reason, ...(details.length > 0 ? { details } : {}) };
  const { nodes = null, source = null, positions = null, path = null } = at ?? {};
  return new GraphQLError(message, { nodes, source, positions, path, extensions });
}

/** The code of the field that names a record, when the record is refused with this code. */
export const codeOfRecord = (code: ErrorCode): DetailCode => (code === 'NOT_FOUND' ? 'not_found' : 'state');

/** The error that a resolver threw; undefined where graphql-js itself objects to the document or its variables. */
function thrownBy(error: GraphQLError): unknown {
  const { path, originalError } = error;
  if (path === undefined || originalError === undefined) return undefined;
  // graphql-js names the nodes of an argument that it cannot coerce, and none when a result does not fit its type.
  return originalError instanceof GraphQLError && originalError.nodes ? undefined : originalError;
}

const isSyntaxError = ({ message }: Pick<Error, 'message'>): boolean => message.startsWith('Syntax Error');

/** The service error behind an error of graphql-js or graphql-http. */
function serviceErrorBehind(error: GraphQLError | Error): ServiceError {
  if (error instanceof ServiceError) return error;
  const thrown = error instanceof GraphQLError ? thrownBy(error) : undefined;
  if (thrown !== undefined) return serviceErrorOf(thrown);
  const message = withoutValues(error.message);
  if (isSyntaxError(error)) return malformed('document_malformed', message);
  return new ServiceError('VALIDATION_ERROR', 'document_invalid', message);
}

const MAX_MESSAGE = 500;

/** A message of graphql-js without the values that it repeats: one may be a password. */
function withoutValues(message: string): string {
  const said = isSyntaxError({ message }) ? withoutTokens(message) : withoutInvalid(message);
  return said.slice(0, MAX_MESSAGE).toWellFormed();
}

/** `Expected Name, found String "…".` and `Invalid number, expected digit but got: "…".` */
const withoutTokens = (message: string): string =>
  message.replace(/\b(Name|Int|Float|String|BlockString|Comment) ".*$/s, '$1.').replace(/(?: but got)?: ".*$/s, '.');

/** `Argument "input" has invalid value {…}.` */
const withoutInvalid = (message: string): string =>
  message.replace(/ (has|got) (an )?invalid value.*$/s, ' $1 an invalid value.');

/** Masks an error; one that carries a code has been through here. */
export function toPublic(error: Readonly<GraphQLError | Error>): GraphQLError {
  if (!(error instanceof GraphQLError)) return errorOf(serviceErrorBehind(error));
  return error.extensions['code'] === undefined ? errorOf(serviceErrorBehind(error), error) : error;
}

/** Reports the service errors behind the errors of one result. Being out of reach is reported once. */
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

// Under application/json a status other than 200 may be an intermediary's (GraphQL over HTTP, 6.4.1), so mistakes in
// the document answer 200. The other codes tell a client whether and when to send the request again.
const answeredWith200: readonly ErrorCode[] = ['VALIDATION_ERROR', 'MALFORMED_REQUEST', 'UNAUTHENTICATED'];

/** HTTP status of an answer to a well-formed request whose `data` is null or absent. */
export function statusUnder(contentType: string, code: ErrorCode): number {
  return contentType.startsWith('application/json') && answeredWith200.includes(code) ? 200 : statusOf(code);
}
