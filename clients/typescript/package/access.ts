import { type Answer, Call, ListCall, type PageOf, type PageQuery } from './call.js';
import type { AccessToken, KeyToken } from './contract.js';
import { MaloteError } from './errors.js';
import { type Credential, Session } from './session.js';
import { type CallOptions, type Sendable, Transport } from './transport.js';

/** A value, or a function that is asked for it each time it is needed. */
type Source = string | (() => string | Promise<string>);

export interface MaloteOptions {
  /** Address of the service: `https://…`. */
  baseUrl: string | URL;
  /** The id of an API key. With `clientSecret`, the key itself, the client obtains tokens and renews them by itself. */
  clientId?: string | undefined;
  clientSecret?: Source | undefined;
  /**
   * Credentials of the account. With `password`, in place of an API key, the client logs in by itself, to REST and to
   * GraphQL.
   */
  email?: string | undefined;
  password?: Source | undefined;
  /**
   * For REST, instead of a password: an access token, or an operator key (`mok_…`). An operator who has a second factor
   * only reads by its password alone: `signIn` of the operator's client takes a code, too, and answers a token.
   */
  token?: Source | undefined;
  /** For GraphQL, with `email` and instead of a password. */
  apiKey?: Source | undefined;
  /** Of one try; 30 000 unless given. */
  timeoutMs?: number | undefined;
  /** 3 unless given; 0 sends everything once. */
  maxRetries?: number | undefined;
  /** No try begins later than this after the first; 60 000 unless given. */
  maxRetryMs?: number | undefined;
  /** Instead of the platform's. */
  fetch?: typeof fetch | undefined;
}

/** Of requests that can carry an idempotency key. */
export interface KeyedOptions extends CallOptions {
  /**
   * A random one unless given; the same in every try of the call. Give your own, stored before the call, to repeat it
   * after a crash.
   */
  idempotencyKey?: string | undefined;
}

/** Of requests that can name the version that they change. */
export interface VersionedOptions extends CallOptions {
  /** The record's `ETag`: `PRECONDITION_FAILED` when it has changed since. */
  ifMatch?: string | undefined;
}

/** A request as the contract has it. */
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
/** A token is renewed so long before it ends, and a short-lived one when a tenth of its time is left. */
const RENEWAL_MS = 60_000;

const LOGIN = 'mutation login($input: LoginInput!) { login(input: $input) { user { apiKey } } }';

/** Access that all parts of a client share: the way to the service, and the caller's identity. */
export class Access {
  readonly transport: Transport;
  readonly rest: Session;
  readonly graphql: Session;

  constructor(options: MaloteOptions, version: string) {
    const baseUrl = String(options.baseUrl).replace(/\/+$/, '');
    // Throws here, not at the first call, if it is wrong.
    new URL(baseUrl);
    const {
      timeoutMs = TIMEOUT_MS,
      maxRetries = MAX_RETRIES,
      maxRetryMs = RETRY_MS,
      fetch = globalThis.fetch,
    } = options;
    // Browsers refuse to run it as a method of anything else.
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

  /** The API key goes with its account's address, which the account itself knows. */
  async #givenKey(options: MaloteOptions): Promise<Credential> {
    const me = { method: 'GET', path: '/api/v1/users/me' } as const;
    const email = options.email ?? (await this.call<{ email: string }>(me)).email;
    return { authorization: `ApiKey ${email}:${await secretOf(options)}`, renewAt: Number.POSITIVE_INFINITY };
  }

  /** A log-in: of all who wait for it, so that no caller's signal or deadline ends it. */
  async #public<T>(request: Pick<Sendable, 'path' | 'body'>): Promise<Answer<T>> {
    const sendable = { method: 'POST', ...request, isRepeatable: true };
    return (await this.transport.send(sendable, {})) as Answer<T>;
  }
}

/** Part of a client: the operations of one tag. */
export abstract class Resource {
  protected readonly access: Access;

  constructor(access: Access) {
    this.access = access;
  }
}

/** A client: its parts beside those of one tag. */
export abstract class Client extends Resource {
  constructor(options: MaloteOptions, version: string) {
    super(new Access(options, version));
  }

  /** Sends any request of the interface, such as one that is newer than this package. */
  request<T = unknown>(request: RestRequest, options?: KeyedOptions & VersionedOptions): Call<T> {
    return this.access.call<T>(request, options);
  }
}

export const keyHeader = ({ idempotencyKey = crypto.randomUUID() }: KeyedOptions) => ({
  'Idempotency-Key': idempotencyKey,
});

const textOf = async (source: Source): Promise<string> => (typeof source === 'function' ? source() : source);

/** A session by a credential that the caller gives; only a function can give another one later. */
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

/** Browsers say who they are by themselves. */
function userAgent(version: string): string | undefined {
  const { process } = globalThis as { process?: { versions?: { node?: string } } };
  const node = process?.versions?.node;
  return node === undefined ? undefined : `malote-client/${version} node/${node}`;
}

/** A path with its parameters encoded; throws when one would lead to another path. */
export function path(texts: TemplateStringsArray, ...values: (string | number)[]): string {
  const encoded = values.map((value) => {
    if (/^\.{0,2}$/.test(String(value))) throw new TypeError('An identifier is empty.');
    return encodeURIComponent(value);
  });
  return String.raw({ raw: texts }, ...encoded);
}
