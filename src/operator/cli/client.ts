import { randomUUID } from 'node:crypto';
import createClient, { type Client } from 'openapi-fetch';
import type { paths as OperatorPaths } from '../../../generated/operator.js';
import type { paths as RestPaths } from '../../../generated/rest.js';
import { unreachable } from './failures.js';
import type { TokenSource } from './sign-in.js';

export type OperatorClient = Client<OperatorPaths>;
export type RestClient = Client<RestPaths>;

type Fetch = (request: Request) => Promise<Response>;

const DEADLINE_MS = 60_000;

/** Throws CommandError when nothing answers, or what answers is not JSON and so not this service. */
const reaching =
  (url: string): Fetch =>
  async (request) => {
    try {
      const response = await fetch(request, { signal: AbortSignal.timeout(DEADLINE_MS), redirect: 'error' });
      const type = response.headers.get('content-type') ?? 'application/json';
      if (!type.startsWith('application/json')) throw new Error(`it answered ${response.status} with ${type}`);
      return response;
    } catch (error) {
      throw unreachable(url, error);
    }
  };

/** Keys of a command's POSTs: the one given, numbered from the second request on; otherwise a new one each. */
function keysFrom(given: string | undefined): () => string {
  let count = 0;
  return () => {
    count += 1;
    if (given === undefined) return randomUUID();
    return count === 1 ? given : `${given}.${count}`;
  };
}

const signed =
  (send: Fetch, signIn: TokenSource, nextKey: () => string): Fetch =>
  async (request) => {
    if (request.method === 'POST') request.headers.set('Idempotency-Key', nextKey());
    const again = request.clone();
    request.headers.set('Authorization', `Bearer ${await signIn.token()}`);
    const response = await send(request);
    const token = response.status === 401 ? await signIn.renewed() : undefined;
    if (token === undefined) return response;
    again.headers.set('Authorization', `Bearer ${token}`);
    return send(again);
  };

/** A client that signs nothing, for the login itself. */
export const openDoor = (url: string): RestClient => createClient<RestPaths>({ baseUrl: url, fetch: reaching(url) });

/**
 * Clients of the interfaces D and A whose requests are signed, and whose POSTs carry an idempotency key. `operatorKey` stands in for
 * the sign-in at D, the only one that takes it.
 */
export function openDoors(
  url: string,
  signIn: TokenSource,
  { operatorKey, idempotencyKey }: { operatorKey: string | undefined; idempotencyKey: string | undefined },
) {
  const nextKey = keysFrom(idempotencyKey);
  const options = (source: TokenSource) => ({ baseUrl: url, fetch: signed(reaching(url), source, nextKey) });
  return {
    operator: createClient<OperatorPaths>(options(operatorKey === undefined ? signIn : fixedToken(operatorKey))),
    rest: createClient<RestPaths>(options(signIn)),
  };
}

const fixedToken = (token: string): TokenSource => ({ token: async () => token, renewed: async () => undefined });
