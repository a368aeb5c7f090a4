import { readFileSync } from 'node:fs';
import type { CreateOrderInput, Mutation, Query } from '../../generated/graphql.js';
import { graphqlOrder } from '../support/bodies.js';
import { PASSWORD } from '../support/password.js';
import type { Caller } from '../support/service.js';
import { ownService, sharedService } from '../support/services.js';

interface ClientError {
  message: string;
  path?: (string | number)[];
  extensions: { code: string; reason: string; details?: { field: string; code: string; message: string }[] };
}

export interface Answer {
  status: number;
  headers: Headers;
  data: (Partial<Query> & Partial<Mutation>) | null | undefined;
  errors: ClientError[] | undefined;
}

interface Options {
  variables?: object;
  operationName?: string;
  headers?: Record<string, string>;
}

/** Sends GraphQL as one account, or without credentials. */
export interface Client {
  caller: Caller;
  apiKey: string;
  /** Identifier of the account's invoice. */
  paymentMethod: number;
  send(query: string, options?: Options): Promise<Answer>;
}

/** The value. Fails the test if it is missing. */
export function present<T>(value: T | null | undefined): T {
  if (value === null || value === undefined) throw new Error('the answer lacks what the test is about');
  return value;
}

/** Posts any body to the endpoint. */
export async function post(
  url: string,
  body: NonNullable<RequestInit['body']>,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const init = { method: 'POST', body, headers: { 'Content-Type': 'application/json', ...headers } };
  const response = await fetch(`${url}/graphql`, init);
  const { data, errors } = JSON.parse(await response.text());
  return { status: response.status, headers: response.headers, data, errors };
}

export function sendAs(url: string, authorization: Record<string, string>): Client['send'] {
  return (query, { headers, ...rest } = {}) =>
    post(url, JSON.stringify({ query, ...rest }), { ...authorization, ...headers });
}

export const loginCall = (email: string, secret: string): string =>
  `mutation { login(input: { email: ${JSON.stringify(email)}, password: ${JSON.stringify(secret)} }) { user { apiKey } } }`;

/** Clients for the GraphQL interface of the shared service, or of a new service if `env` is given. */
export async function startGraphql(env?: NodeJS.ProcessEnv) {
  const service = await (env ? ownService(env) : sharedService());
  const nobody = { send: sendAs(service.url, {}) };
  async function client(existing?: Caller): Promise<Client> {
    const caller = existing ?? (await service.customer());
    const login = await nobody.send(loginCall(caller.email, PASSWORD));
    const apiKey = login.data?.login?.user?.apiKey ?? '';
    const send = sendAs(service.url, { Authorization: `ApiKey ${caller.email}:${apiKey}` });
    const methods = await send('{ paymentMethods { id } }');
    return { caller, apiKey, send, paymentMethod: methods.data?.paymentMethods?.[0]?.id ?? 0 };
  }
  return { ...service, nobody, client };
}

/** The example order of the contract, with the payment method of the account in place of the variable. */
export function exampleOrder(paymentMethod: number): string {
  const text = readFileSync(new URL('../../contracts/examples/create-order.graphql', import.meta.url), 'utf8');
  return text
    .replace(/^#.*\n/, '')
    .replace('createOrder($paymentMethod: Int!)', '')
    .replace('$paymentMethod', String(paymentMethod));
}

/** The input for an order of one package. */
export function anOrder(paymentMethod: number, change: Partial<CreateOrderInput> = {}): CreateOrderInput {
  return { ...graphqlOrder(paymentMethod), ...change };
}

export const CREATE_ORDER = `
  mutation Create($input: CreateOrderInput!) {
    createOrder(input: $input) {
      success
      orders { pk externalId pricing { totalCm } }
      errors { field message }
    }
  }`;
