import { readFile } from 'node:fs/promises';
import type { Certificate } from '../../src/cli/local/listen/certificate.js';
import { lineOf } from '../../src/cli/local/listen/command.js';
import { type Arrival, startReceiver as listen, type ReceiverOptions } from '../../src/cli/local/listen/receiver.js';
import { ask, type Login } from '../../test/support/http.js';

/** The customer's side: the contracts' examples as input, a GraphQL client, and an endpoint for the webhook. */

export const exampleText = (name: string): Promise<string> =>
  readFile(new URL(`../../contracts/examples/${name}`, import.meta.url), 'utf8');

export const example = async <T>(name: string): Promise<T> => JSON.parse(await exampleText(name));

/** Sends one GraphQL operation in the plain form: a JSON object with the text in `query`, values inline. */
export async function graphql<T>(url: string, query: string, authorization = '', variables: object = {}): Promise<T> {
  const headers = authorization ? { Authorization: authorization } : {};
  const { status, text } = await ask(url, 'POST', '/graphql', { headers, body: { query, variables } });
  const answer: { data?: T; errors?: unknown } = JSON.parse(text);
  if (status >= 300 || !answer.data || answer.errors) {
    throw new Error(`GraphQL answered ${status}: ${JSON.stringify(answer.errors ?? answer)}`);
  }
  return answer.data;
}

/** The API key of an account, by the example's mutation. */
export async function apiKeyOf(url: string, { email, password }: Login): Promise<string> {
  const example = await exampleText('login.graphql');
  const query = example.replace('ana@example.com', email).replace('correct horse battery', password);
  const { login } = await graphql<{ login: { user: { apiKey: string } | null } }>(url, query);
  if (!login.user) throw new Error('The GraphQL login failed.');
  return login.user.apiKey;
}

export type Receiver = Awaited<ReturnType<typeof startReceiver>>;

type Options = Omit<ReceiverOptions, keyof Certificate | 'onArrival'> & { certificate: Certificate };

/**
 * A customer's endpoint: HTTPS, Basic authentication, signature, schema; prints a line for each package of a payload.
 */
export async function startReceiver({ certificate, ...options }: Options) {
  /** The status codes that arrived for each package, in order of arrival. */
  const arrived = new Map<string, number[]>();
  /** Mistakes in the requests received; empty when all is well. */
  const faults: string[] = [];

  function onArrival({ webhookId, faults: requestFaults, payload, duplicate }: Arrival): void {
    faults.push(...requestFaults.map((fault) => `${webhookId}: ${fault}`));
    if (duplicate) return;
    for (const tracked of payload?.packages ?? []) {
      arrived.set(tracked.loggiKey, [...(arrived.get(tracked.loggiKey) ?? []), tracked.status.code]);
      console.log(`  ${lineOf(tracked)}: valid against the schema`);
    }
  }

  const { url, expectSignature, close } = await listen({ ...options, ...certificate, onArrival });
  return { url, arrived, faults, expectSignature, close };
}
