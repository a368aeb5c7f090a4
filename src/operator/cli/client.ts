import { randomUUID } from 'node:crypto';
import createClient, { type Client } from 'openapi-fetch';
import type { paths as OperatorPaths } from '../../../generated/operator.js';
import type { paths as RestPaths } from '../../../generated/rest.js';
import { unreachable } from './failures.js';
import type { SignIn } from './sign-in.js';

export type OperatorClient = Client<OperatorPaths>;
export type RestClient = Client<RestPaths>;

type Fetch = (request: Request) => Promise<Response>;

const deadlineMs = 60_000;

/** Throws CommandFailure when nothing answers, or what answers is not JSON and so not this service. */
const reaching =
  (url: string): Fetch =>
  async (request) => {
    try {
      const response = await fetch(request, { signal: AbortSignal.timeout(deadlineMs), redirect: 'error' });
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
  (send: Fetch, signIn: SignIn, nextKey: () => string): Fetch =>
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

/** Clients of the doors D and A whose requests are signed, and whose POSTs carry an idempotency key. */
export function openDoors(url: string, signIn: SignIn, idempotencyKey: string | undefined) {
  const options = { baseUrl: url, fetch: signed(reaching(url), signIn, keysFrom(idempotencyKey)) };
  return { operator: createClient<OperatorPaths>(options), rest: createClient<RestPaths>(options) };
}
