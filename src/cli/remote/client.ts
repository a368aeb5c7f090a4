import { randomUUID } from 'node:crypto';
import createClient, { type Client } from 'openapi-fetch';
import type { components, paths as OperatorPaths } from '../../../generated/operator.js';
import type { paths as RestPaths } from '../../../generated/rest.js';
import { isFields } from '../../base/values.js';
import { RefusedError, unreachable } from '../errors.js';

export type OperatorClient = Client<OperatorPaths>;
export type RestClient = Client<RestPaths>;

/** What signs requests to the interfaces D and A. */
export interface Clients {
  readonly operator: OperatorClient;
  readonly rest: RestClient;
}

/** Where requests get their bearer token from. */
export interface TokenSource {
  /** The stored token, or one for the environment's credentials. Throws CommandError when there is neither. */
  token(): Promise<string>;
  /** A new token after the service refused the last one; undefined when nobody is there to type the password. */
  renewed(): Promise<string | undefined>;
}

type Fetch = (request: Request) => Promise<Response>;

const DEADLINE_MS = 60_000;

/** What the service answers with; anything else is not this service. */
const mediaTypes = ['application/json', 'application/pdf', 'application/zpl', 'image/'];

/** Throws CommandError when nothing answers, or something else than this service. */
const reaching =
  (url: string): Fetch =>
  async (request) => {
    try {
      const response = await fetch(request, { signal: AbortSignal.timeout(DEADLINE_MS), redirect: 'error' });
      const answered = response.headers.get('content-type') ?? 'application/json';
      if (!mediaTypes.some((type) => answered.startsWith(type)))
        throw new Error(`it answered ${response.status} with ${answered}`);
      return response;
    } catch (error) {
      throw unreachable(url, error);
    }
  };

/** Keys of a command's POSTs: the command's own, numbered from the second request on; without it a new one each. */
function keysFrom(own: string | undefined): () => string {
  let count = 0;
  return () => {
    count += 1;
    if (own === undefined) return randomUUID();
    return count === 1 ? own : `${own}.${count}`;
  };
}

const signed =
  (send: Fetch, signIn: TokenSource, nextKey: () => string): Fetch =>
  async (request) => {
    if (request.method === 'POST' && !request.headers.has('Idempotency-Key'))
      request.headers.set('Idempotency-Key', nextKey());
    const again = request.clone();
    request.headers.set('Authorization', `Bearer ${await signIn.token()}`);
    const response = await send(request);
    const token = response.status === 401 ? await signIn.renewed() : undefined;
    if (token === undefined) return response;
    again.headers.set('Authorization', `Bearer ${token}`);
    return send(again);
  };

/** Clients that sign nothing, for the sign-in itself. */
export function unsignedClients(url: string): Clients {
  const options = { baseUrl: url, fetch: reaching(url) };
  return { operator: createClient<OperatorPaths>(options), rest: createClient<RestPaths>(options) };
}

/**
 * Clients of the interfaces D and A whose requests are signed, and whose POSTs carry an idempotency key. `operatorKey` stands in for
 * the sign-in at D, the only one that takes it.
 */
export function signedClients(
  url: string,
  signIn: TokenSource,
  { operatorKey, idempotencyKey }: { operatorKey: string | undefined; idempotencyKey: string | undefined },
): Clients {
  const nextKey = keysFrom(idempotencyKey);
  const options = (source: TokenSource) => ({ baseUrl: url, fetch: signed(reaching(url), source, nextKey) });
  return {
    operator: createClient<OperatorPaths>(options(operatorKey === undefined ? signIn : fixedToken(operatorKey))),
    rest: createClient<RestPaths>(options(signIn)),
  };
}

const fixedToken = (token: string): TokenSource => ({ token: async () => token, renewed: async () => undefined });

interface Answer<T> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** The body of a successful answer. Throws RefusedError for every other. */
export async function bodyOf<T>(call: Promise<Answer<T>>): Promise<T> {
  const { data, error, response } = await call;
  if (!response.ok || data === undefined) throw refusal(response, error);
  return data;
}

/** Waits for a success without a body. Throws RefusedError otherwise. */
export async function done(call: Promise<Answer<unknown>>): Promise<void> {
  const { error, response } = await call;
  if (!response.ok) throw refusal(response, error);
}

/** One line with the code, the message, every wrong field, when to try again and the request's id. */
function refusal(response: Response, error: unknown): RefusedError {
  const { headers } = response;
  const [requestId, seconds] = [headers.get('x-request-id'), headers.get('retry-after')];
  const trace = `${seconds ? ` Try again in ${seconds} s.` : ''}${requestId ? ` [request ${requestId}]` : ''}`;
  if (!isErrorBody(error)) return new RefusedError(response.status, `The service answered ${response.status}.${trace}`);
  const { code, reason, message, details } = error.error;
  const faults = details.map((fault) => `${fault.field} ${fault.message}`).join('; ');
  const hint = hints.get(response.status === 401 ? 'UNAUTHENTICATED' : (reason ?? '')) ?? '';
  const text = `${code}: ${message}${faults ? ` ${faults}.` : ''}${hint}${trace}`;
  return new RefusedError(response.status, text, code, reason);
}

const hints: ReadonlyMap<string, string> = new Map([
  ['UNAUTHENTICATED', ' Sign in again: malote login; with OPERATOR_KEY, check that key.'],
  [
    'second_factor_required',
    ' malote login asks for the code, malote second-factor begin sets one up; programs use OPERATOR_KEY.',
  ],
]);

const isWrongField = (value: unknown): boolean =>
  isFields(value) && typeof value['field'] === 'string' && typeof value['message'] === 'string';

function isErrorBody(value: unknown): value is components['schemas']['ErrorEnvelope'] {
  const error = isFields(value) ? value['error'] : undefined;
  if (!isFields(error) || typeof error['code'] !== 'string' || typeof error['message'] !== 'string') return false;
  return Array.isArray(error['details']) && error['details'].every(isWrongField);
}
