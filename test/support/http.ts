import createClient from 'openapi-fetch';
import type { paths as OperatorPaths } from '../../generated/operator.js';
import type { paths as RestPaths } from '../../generated/rest.js';

/** Requests to the service: plain ones, and by clients generated from the contracts. */

export type Answer = { readonly status: number; readonly headers: Headers; readonly text: string };

export interface Ask {
  readonly token?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON unless it is a string. A Blob is sent with its own type. */
  readonly body?: unknown;
  /** The query with its question mark. */
  readonly query?: string;
  readonly signal?: AbortSignal;
}

/** Tries again if a busy machine did not connect before the timeout of fetch. Then nothing was sent. */
async function patientFetch(input: string | Request, init?: RequestInit): Promise<Response> {
  for (;;) {
    try {
      return await fetch(typeof input === 'string' ? input : input.clone(), init);
    } catch (error) {
      const cause = error instanceof Error ? error.cause : undefined;
      if (!(cause instanceof Error && 'code' in cause && cause.code === 'UND_ERR_CONNECT_TIMEOUT')) throw error;
    }
  }
}

export async function ask(
  base: string,
  method: string,
  path: string,
  { token, headers, body, query, signal }: Ask = {},
): Promise<Answer> {
  const isBytes = body instanceof Blob;
  // A path may include a required query. The query of a test replaces it.
  const address = query === undefined ? path : `${path.split('?')[0]}${query}`;
  const answer = await patientFetch(`${base}${address}`, {
    method,
    redirect: 'manual',
    ...(signal ? { signal } : {}),
    headers: {
      ...(token ? { Authorization: `Bearer ${token}` } : {}),
      ...(body === undefined || isBytes ? {} : { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' || isBytes ? body : JSON.stringify(body) }),
  });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

export type Login = { email: string; password: string };

/** Logs in, and again while the answer is 503. Resolves to the access token. Throws the refusal of the service. */
export async function accessToken(base: string, { email, password }: Login): Promise<string> {
  const send = () => ask(base, 'POST', '/auth/login', { body: { email, password } });
  let answer = await send();
  while (answer.status === 503) answer = await send();
  const { status, text } = answer;
  const { access_token: token }: { access_token?: string } = JSON.parse(text);
  if (!token) throw new Error(`the login was answered ${status} ${text}`);
  return token;
}

/** Clients generated from the published contracts, for the holder of the token. */
export function clientsFor(baseUrl: string, token = '') {
  const options = { baseUrl, fetch: patientFetch, headers: token ? { Authorization: `Bearer ${token}` } : {} };
  return { rest: createClient<RestPaths>(options), operator: createClient<OperatorPaths>(options) };
}

export type Clients = ReturnType<typeof clientsFor>;

export const signedIn = async (url: string, login: Login) => clientsFor(url, await accessToken(url, login));

/** Milliseconds of a public request. Infinity if it fails. */
export async function healthMs(base: string, headers: Readonly<Record<string, string>> = {}): Promise<number> {
  const started = performance.now();
  const { status } = await ask(base, 'GET', '/health', { headers });
  return status === 200 ? performance.now() - started : Number.POSITIVE_INFINITY;
}

/** Repeats a request after a 503, as clients do. On a busy machine locks may last longer than a request waits. */
export async function served<T extends { response: Response }>(send: () => Promise<T>): Promise<T> {
  for (let answer = await send(); ; answer = await send()) if (answer.response.status !== 503) return answer;
}

/** The data in an answer of a generated client. Throws the refusal of the service. */
export function must<T>({ data, error, response }: { data?: T; error?: unknown; response: Response }): T {
  if (data !== undefined) return data;
  throw new Error(`${response.url} answered ${response.status}: ${JSON.stringify(error)}`);
}
