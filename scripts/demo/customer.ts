import { readFile } from 'node:fs/promises';
import createClient, { type Client } from 'openapi-fetch';
import type { paths as OperatorPaths } from '../../generated/operator.js';
import type { components, paths as RestPaths } from '../../generated/rest.js';

export type Rest = Client<RestPaths>;
export type OperatorDoor = Client<OperatorPaths>;

/** A file of contracts/examples/, as the demo's input. */
export const exampleText = (name: string): Promise<string> =>
  readFile(new URL(`../../contracts/examples/${name}`, import.meta.url), 'utf8');

export const example = async <T>(name: string): Promise<T> => JSON.parse(await exampleText(name));

/** The data of an answer; throws what the service said when it refused. */
export function must<T>(answer: { data?: T; error?: unknown; response: Response }): T {
  if (answer.data !== undefined) return answer.data;
  throw new Error(`${answer.response.url} answered ${answer.response.status}: ${JSON.stringify(answer.error)}`);
}

/** Signs in by `POST /auth/login` and gives clients of A and D that carry the token. */
export async function signIn(url: string, credentials: components['schemas']['LoginRequest']) {
  const anonymous: Rest = createClient<RestPaths>({ baseUrl: url });
  const { access_token: token } = must(await anonymous.POST('/auth/login', { body: credentials }));
  const headers = { Authorization: `Bearer ${token}` };
  const rest: Rest = createClient<RestPaths>({ baseUrl: url, headers });
  const operator: OperatorDoor = createClient<OperatorPaths>({ baseUrl: url, headers });
  return { rest, operator };
}

/** Sends one GraphQL operation in the plain form: a JSON object with the text in `query`, values inline. */
export async function graphql<T>(
  url: string,
  query: string,
  authorization?: string,
  variables: object = {},
): Promise<T> {
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...(authorization ? { Authorization: authorization } : {}) },
    body: JSON.stringify({ query, variables }),
  });
  const answer: { data?: T; errors?: unknown } = JSON.parse(await response.text());
  if (!response.ok || !answer.data || answer.errors) {
    throw new Error(`GraphQL answered ${response.status}: ${JSON.stringify(answer.errors ?? answer)}`);
  }
  return answer.data;
}
