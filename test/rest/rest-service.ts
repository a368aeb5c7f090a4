import type { Client } from 'openapi-fetch';
import createClient from 'openapi-fetch';
import type { components, paths } from '../../generated/rest.js';
import { type Account, createAccount, type NewAccount } from '../../src/accounts/account.js';
import type { App } from '../../src/app/index.js';
import type { Db } from '../../src/db/connect.js';
import { PASSWORD, passwordHash } from '../support/password.js';
import { sharedService } from '../support/services.js';

export { PASSWORD } from '../support/password.js';

/** A client generated from the published contract. */
export type RestClient = Client<paths>;

export interface User {
  account: Account;
  token: string;
  /** Sends the user's token. */
  api: RestClient;
}

/** Interface A of the real service. */
export interface RestService {
  url: string;
  db: Db;
  /** The one that the service made at its start. */
  firstOperator: RestClient;
  /** A client with this token, or without one. */
  client(token?: string): RestClient;
  /** A new user, a customer by default, who has signed in. */
  user(input?: Partial<NewAccount>): Promise<User>;
}

/** The shared service, unless it is another, behind one trusted proxy, so that tests can come from many addresses. */
export async function startRestService(starting = sharedService()): Promise<RestService> {
  const { url, db, app, operator } = await starting;
  return {
    url,
    db,
    firstOperator: operator.rest,
    client: (token) => clientOf(url, token),
    user: userMaker(app, url),
  };
}

const clientOf = (baseUrl: string, token?: string): RestClient =>
  createClient<paths>({ baseUrl, headers: token === undefined ? {} : { Authorization: `Bearer ${token}` } });

let users = 0;

function userMaker({ db, identity }: App, url: string) {
  return async (input: Partial<NewAccount> = {}): Promise<User> => {
    users += 1;
    const fresh = { email: `user${users}@example.com`, name: 'Ana Souza', phone: '+55 11 91234-5678' };
    const account = await createAccount(db, { ...fresh, passwordHash, ...input });
    const signedIn = await identity.signIn(account.email, PASSWORD, `10.0.${users >> 8}.${users & 255}`);
    if (!signedIn.ok) throw new Error(`cannot sign in: ${signedIn.reason}`);
    const token = signedIn.token.accessToken;
    return { account, token, api: clientOf(url, token) };
  };
}

/** No record has this id. */
export const ABSENT_ID = '01930f5e-7d3c-7a41-9c55-0d6f2b8e4a10';

interface Failure {
  response: Response;
  error?: components['schemas']['ErrorEnvelope'];
}

/** Status, code and fields of an error answer. */
export const refusal = ({ response, error }: Failure) => [
  response.status,
  error?.error.code,
  [...new Set(error?.error.details.map(({ field }) => field))].sort(),
];

/** Sends any body, JSON or not, where a client generated from the contract would not. */
export async function sendRaw(
  url: string,
  method: string,
  token: string,
  init: Partial<RequestInit>,
): Promise<unknown[]> {
  const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${token}`, ...init.headers };
  const response = await fetch(url, { method, ...init, headers });
  return refusal({ response, error: await response.json() });
}

/** Bodies that every operation refuses. */
export const unreadable: readonly (readonly [status: number, code: string, init: Partial<RequestInit>])[] = [
  [400, 'MALFORMED_REQUEST', { body: '{"name": ' }],
  [400, 'MALFORMED_REQUEST', { body: Buffer.from('{"name": "\xff"}', 'latin1') }],
  [406, 'NOT_ACCEPTABLE', { body: '{}', headers: { Accept: 'text/csv' } }],
  [413, 'PAYLOAD_TOO_LARGE', { body: JSON.stringify('x'.repeat(1_100_000)) }],
  [415, 'UNSUPPORTED_MEDIA_TYPE', { body: '{}', headers: { 'Content-Type': 'application/xml' } }],
];
