import { type Answer, Call, ListCall, type PageOf, type PageQuery } from './call.js';
import type { AccessToken, KeyToken } from './contract.js';
import { MaloteError } from './errors.js';
import { type Credential, Session } from './session.js';
import { type CallOptions, type Sendable, Transport } from './transport.js';

/** A value, or a function that returns the value each time it is needed. */
type Source = string | (() => string | Promise<string>);

export interface MaloteOptions {
  /** Address of the service: `https://…`. */
  baseUrl: string | URL;
  /** The id of an API key; `clientSecret` is the key. With both, the client obtains and renews tokens by itself. */
  clientId?: string | undefined;
  clientSecret?: Source | undefined;
  /**
   * The e-mail address of the account. With `password`, and without an API key, the client logs in by itself, to REST
   * and to GraphQL.
   */
  email?: string | undefined;
  password?: Source | undefined;
  /**
   * For REST, instead of a password: an access token, or an operator key (`mok_…`). For an operator with a second
   * factor, the password alone allows only reading. `signIn` of the operator's client also takes a code, and returns a
   * token.
   */
  token?: Source | undefined;
  /** For GraphQL, together with `email` and instead of a password. */
  apiKey?: Source | undefined;
  /** Timeout of one try in milliseconds. The default is 30 000. */
  timeoutMs?: number | undefined;
  /** Maximum number of retries. The default is 3; with 0, everything is sent once. */
  maxRetries?: number | undefined;
  /** Milliseconds after the first try in which another try may begin. The default is 60 000. */
  maxRetryMs?: number | undefined;
  /** Replaces the platform's `fetch`. */
  fetch?: typeof fetch | undefined;
}

/** Options of requests that accept an idempotency key. */
export interface KeyedOptions extends CallOptions {
  /**
   * The idempotency key. The default is a random key, the same in every try of the call. To repeat a call after a
   * crash, give your own key, and store it before the call.
   */
  idempotencyKey?: string | undefined;
}

/** Options of requests that can name the version that they change. */
export interface VersionedOptions extends CallOptions {
  /** The `ETag` of the record. If the record has changed since, the request fails with `PRECONDITION_FAILED`. */
  ifMatch?: string | undefined;
}

/** A request to an operation of the contract. */
export interface RestRequest {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  query?: object | undefined;
  body?: unknown;
  takesKey?: boolean;
  isPublic?: boolean;
  isBytes?: boolean;
}

const TIMEOUT_MS = 30_000;
const MAX_RETRIES = 3;
const RETRY_MS = 60_000;
/** A token is renewed this long before its end, but a short-lived one only when a tenth of its time is left. */
const RENEWAL_MS = 60_000;

const LOGIN = 'mutation login($input: LoginInput!) { login(input: $input) { user { apiKey } } }';

/** Holds what all parts of a client share: the connection to the service, and the caller's credentials. */
export class Access {
  readonly transport: Transport;
  readonly rest: Session;
  readonly graphql: Session;

  constructor(options: MaloteOptions, version: string) {
    const baseUrl = String(options.baseUrl).replace(/\/+$/, '');
    // Throws for a wrong address now, and not at the first call.
    new URL(baseUrl);
    const {
      timeoutMs = TIMEOUT_MS,
      maxRetries = MAX_RETRIES,
      maxRetryMs = RETRY_MS,
      fetch = globalThis.fetch,
    } = options;
    // Browsers refuse to run `fetch` as a method of another object.
    const plainFetch: typeof fetch = (...request) => fetch(...request);
    const limits = { timeoutMs, maxRetries, maxRetryMs };
    this.transport = new Transport({ baseUrl, ...limits, userAgent: userAgent(version), fetch: plainFetch });
    const { token, apiKey } = options;
    this.rest =
      token === undefined ? new Session(() => this.#logIn(options)) : fixed(token, (value) => `Bearer ${value}`);
    this.graphql =
      apiKey === undefined
        ? new Session(() => this.#obtainKey(options))
        : fixed(apiKey, (value) => `ApiKey ${options.email}:${value}`);
  }

  call<T>(request: RestRequest, options: KeyedOptions & VersionedOptions = {}): Call<T> {
    const answer = this.#send<T>(request, options);
    return new Call(() => answer);
  }

  list<Item, Page extends PageOf<Item>>(request: RestRequest, query: PageQuery, options: CallOptions = {}) {
    return new ListCall<Item, Page>(query, (page) => this.#send<Page>({ ...request, query: page }, options));
  }

  async #send<T>(request: RestRequest, options: KeyedOptions & VersionedOptions): Promise<Answer<T>> {
    const { takesKey = false, isPublic = false, ...rest } = request;
    const { ifMatch } = options;
    const sendable = {
      ...rest,
      headers: { ...(takesKey ? keyHeader(options) : {}), ...(ifMatch === undefined ? {} : { 'If-Match': ifMatch }) },
      session: isPublic ? undefined : this.rest,
      isRepeatable: takesKey || (request.method !== 'POST' && ifMatch === undefined),
    };
    return (await this.transport.send(sendable, options)) as Answer<T>;
  }

  async #logIn(options: MaloteOptions): Promise<Credential> {
    const { data } = await this.#public<AccessToken | KeyToken>(
      options.clientId === undefined
        ? { path: '/auth/login', body: await loginOf(options) }
        : { path: '/auth/token', body: await tokenForm(options) },
    );
    const lifetime = data.expires_in * 1_000;
    const renewAt = Date.now() + lifetime - Math.min(RENEWAL_MS, lifetime / 10);
    return { authorization: `Bearer ${data.access_token}`, renewAt };
  }

  async #obtainKey(options: MaloteOptions): Promise<Credential> {
    if (options.clientId !== undefined) return this.#givenKey(options);
    const body = { query: LOGIN, variables: { input: await loginOf(options) } };
    const { data, response } = await this.#public<{ data?: { login: { user: { apiKey: string } | null } } }>({
      path: '/graphql',
      body,
    });
    const user = data.data?.login.user;
    if (user) return { authorization: `ApiKey ${options.email}:${user.apiKey}`, renewAt: Number.POSITIVE_INFINITY };
    const message = 'The log-in failed: look at e-mail address and password, and whether the phone is confirmed.';
    const requestId = response.headers.get('x-request-id') ?? undefined;
    throw new MaloteError({
      status: 401,
      code: 'UNAUTHENTICATED',
      reason: undefined,
      message,
      details: [],
      requestId,
      retryAfter: undefined,
    });
  }

  /**
   * Makes the credential of a given API key. It needs the account's e-mail address, which the account can read itself.
   */
  async #givenKey(options: MaloteOptions): Promise<Credential> {
    const me = { method: 'GET', path: '/api/v1/users/me' } as const;
    const email = options.email ?? (await this.call<{ email: string }>(me)).email;
    return { authorization: `ApiKey ${email}:${await secretOf(options)}`, renewAt: Number.POSITIVE_INFINITY };
  }

  /** Logs in without any caller's signal or deadline, because several callers may wait for this log-in. */
  async #public<T>(request: Pick<Sendable, 'path' | 'body'>): Promise<Answer<T>> {
    const sendable = { method: 'POST', ...request, isRepeatable: true };
    return (await this.transport.send(sendable, {})) as Answer<T>;
  }
}

/** A part of a client: the operations of one tag. */
export abstract class Resource {
  protected readonly access: Access;

  constructor(access: Access) {
    this.access = access;
  }
}

/** The base of a client: everything besides its resources. */
export abstract class Client extends Resource {
  constructor(options: MaloteOptions, version: string) {
    super(new Access(options, version));
  }

  /** Sends any request of the interface, for example to an operation that is newer than this package. */
  request<T = unknown>(request: RestRequest, options?: KeyedOptions & VersionedOptions): Call<T> {
    return this.access.call<T>(request, options);
  }
}

export const keyHeader = ({ idempotencyKey = crypto.randomUUID() }: KeyedOptions) => ({
  'Idempotency-Key': idempotencyKey,
});

const textOf = async (source: Source): Promise<string> => (typeof source === 'function' ? source() : source);

/** A session with a credential from the caller. Only a function can return another one later. */
function fixed(source: Source, authorization: (value: string) => string): Session {
  const obtain = async () => ({
    authorization: authorization(await textOf(source)),
    renewAt: Number.POSITIVE_INFINITY,
  });
  return new Session(obtain, { isRenewable: typeof source === 'function' });
}

async function secretOf({ clientSecret }: MaloteOptions): Promise<string> {
  if (clientSecret === undefined) throw new TypeError('Give clientSecret, the API key, with clientId.');
  return textOf(clientSecret);
}

async function tokenForm(options: MaloteOptions): Promise<Blob> {
  const client = { client_id: options.clientId ?? '', client_secret: await secretOf(options) };
  const form = new URLSearchParams({ grant_type: 'client_credentials', ...client });
  return new Blob([form.toString()], { type: 'application/x-www-form-urlencoded' });
}

async function loginOf({ email, password }: MaloteOptions) {
  if (email === undefined || password === undefined) {
    throw new TypeError(
      'Give clientId and clientSecret, email and password, a token for REST, or email and apiKey for GraphQL.',
    );
  }
  return { email, password: await textOf(password) };
}

/** The `User-Agent` of Node. Browsers set their own. */
function userAgent(version: string): string | undefined {
  const { process } = globalThis as { process?: { versions?: { node?: string } } };
  const node = process?.versions?.node;
  return node === undefined ? undefined : `malote-client/${version} node/${node}`;
}

/** Makes a path and encodes its parameters. Throws for a parameter that would lead to another path. */
export function path(texts: TemplateStringsArray, ...values: (string | number)[]): string {
  const encoded = values.map((value) => {
    if (/^\.{0,2}$/.test(String(value))) throw new TypeError('An identifier is empty.');
    return encodeURIComponent(value);
  });
  return String.raw({ raw: texts }, ...encoded);
}
