import { isApiKeyScope } from '../accounts/tokens.js';
import type { ApiKeyScope } from '../base/actor.js';
import { type ErrorCode, ServiceError, tooManyFailures } from '../base/errors.js';
import type { ErrorForm } from '../http/errors.js';
import type { Bodies, RestDeps, Schemas, SomeHandlers } from './deps.js';

/** Handles the token endpoint: client credentials of OAuth 2.0 (RFC 6749, 4.4). */
export const tokenHandlers = ({ identity }: RestDeps) =>
  ({
    issueToken: async ({ body: { bytes }, ctx }) => {
      const form = readForm(bytes);
      if (form.grant_type === undefined) throw wrongRequest('grant_type is missing.');
      if (form.grant_type !== 'client_credentials') {
        throw new TokenError('unsupported_grant_type', 'The only grant_type here is client_credentials.');
      }
      const { id, secret } = clientOf(form, ctx.authorization);
      const issued = await identity.keyToken({ id, secret, ip: ctx.ip }, scopeOf(form.scope));
      if (issued.refusal === 'budget') throw tooManyFailures(issued);
      if (issued.refusal === 'invalid_client') throw wrongClient('There is no live API key of this id and secret.');
      if (issued.refusal) throw new TokenError(issued.refusal, 'The scope is beyond that of the key.');
      // RFC 6749, 5.1 demands these headers.
      const headers = { 'Cache-Control': 'no-store', Pragma: 'no-cache' };
      return { status: 200, body: { ...issued.token, scope: issued.scope }, headers };
    },
  }) satisfies SomeHandlers;

type Form = Partial<Record<keyof Schemas['TokenRequest'], string>>;

const names = ['grant_type', 'client_id', 'client_secret', 'scope'] as const satisfies (keyof Form)[];

/** Reads the known parameters; empty ones are left out. Throws for a repeated parameter (RFC 6749, 3.2). */
function readForm(bytes: Buffer): Form {
  const sent = new URLSearchParams(bytes.toString());
  const twice = names.find((name) => sent.getAll(name).length > 1);
  if (twice) throw wrongRequest(`${twice} is there more than once.`);
  return Object.fromEntries(names.map((name) => [name, sent.get(name) || undefined]));
}

const BASIC = /^Basic +([\w+/-]+=*) *$/i;

/** Reads id and secret from the form or from HTTP Basic. */
function clientOf({ client_id: id, client_secret: secret }: Form, authorization: string | undefined) {
  if (authorization === undefined) {
    if (id === undefined || secret === undefined) throw wrongClient('Send client_id and client_secret.');
    return { id, secret };
  }
  const pair = Buffer.from(BASIC.exec(authorization)?.[1] ?? '', 'base64').toString();
  const [basicId = '', basicSecret = ''] = pair.split(':', 2).map(unescaped);
  if (secret !== undefined || (id !== undefined && id !== basicId)) {
    throw wrongRequest('Send the credentials of one client once: in the form or in Authorization.');
  }
  return { id: basicId, secret: basicSecret };
}

/** Decodes percent-encoding. Ids and secrets are ASCII, but some clients encode them anyway (RFC 6749, 2.3.1). */
const unescaped = (text: string): string =>
  text.replace(/%([0-9a-f]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));

/** The widest scope in a list of scopes (RFC 6749, 3.3). */
function scopeOf(list: string | undefined): ApiKeyScope | undefined {
  const scopes = list?.split(' ').filter((scope) => scope !== '') ?? [];
  if (!scopes.every(isApiKeyScope)) throw new TokenError('invalid_scope', 'The scopes are read and all.');
  return scopes.find((scope) => scope === 'all') ?? scopes[0];
}

type TokenErrorName = Bodies['TokenError']['error'];

class TokenError extends ServiceError {
  override name = 'TokenError';
  readonly error: TokenErrorName;

  constructor(error: TokenErrorName, message: string) {
    super('VALIDATION_ERROR', 'invalid_fields', message);
    this.error = error;
  }
}

const wrongRequest = (message: string) => new TokenError('invalid_request', message);
const wrongClient = (message: string) =>
  new ServiceError('UNAUTHENTICATED', 'login_failed', message, {
    headers: { 'WWW-Authenticate': 'Basic realm="malote"' },
  });

const errorNames: Partial<Record<ErrorCode, TokenErrorName>> = {
  UNAUTHENTICATED: 'invalid_client',
  RATE_LIMITED: 'temporarily_unavailable',
  UNAVAILABLE: 'temporarily_unavailable',
  INTERNAL_ERROR: 'server_error',
};

/** Errors in the form of RFC 6749, 5.2, which forbids some characters in a description. */
const tokenErrors: ErrorForm = {
  headers: { 'Cache-Control': 'no-store' },
  bodyOf: (error): Bodies['TokenError'] => ({
    error: error instanceof TokenError ? error.error : (errorNames[error.code] ?? 'invalid_request'),
    error_description: error.message.replace(/[^ -~]|["\\]/g, "'"),
  }),
};

export const errorForms = { issueToken: tokenErrors };
