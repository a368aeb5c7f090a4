import type { Answer } from './call.js';
import type { ErrorReason } from './contract.js';
import { errorOf, isFields, MaloteConnectionError, MaloteError } from './errors.js';
import { isLost, type Limits, type Outcome, pauseBefore } from './retry.js';
import type { Credential, Session } from './session.js';

/**
 * Sends requests. Each has a deadline. It is sent again if that is safe, or with another credential if one has ended.
 */

export interface CallOptions {
  /** Aborts the call, also between two tries. */
  signal?: AbortSignal | undefined;
  /** Timeout in milliseconds of one try, until its answer has been read. */
  timeoutMs?: number | undefined;
  maxRetries?: number | undefined;
}

export interface Sendable {
  readonly method: string;
  /** The path below the address of the service. */
  readonly path: string;
  readonly query?: object | undefined;
  /** The body. A Blob is sent unchanged, anything else as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly session?: Session | undefined;
  readonly isRepeatable: boolean;
  /** True if the answer is bytes instead of JSON. */
  readonly isBytes?: boolean | undefined;
}

export interface TransportOptions extends Limits {
  readonly baseUrl: string;
  readonly timeoutMs: number;
  readonly userAgent: string | undefined;
  readonly fetch: typeof fetch;
}

/** Reasons why the service no longer accepts a credential. */
const ENDED: ReadonlySet<string> = new Set<ErrorReason>(['token_invalid', 'api_key_invalid']);
/** Reasons of a refused deletion that mean that the record no longer exists. */
const GONE: ReadonlySet<string | undefined> = new Set<ErrorReason>(['record_not_found', 'second_factor_not_found']);

/** The end of a try: an answer, or the cause of a missing one. */
type Arrival = { response: Response; bytes: Uint8Array } | { response?: undefined; cause: unknown };

export class Transport {
  readonly #options: TransportOptions;

  constructor(options: TransportOptions) {
    this.#options = options;
  }

  /**
   * Sends a request. Throws `MaloteError` if the service refuses, `MaloteConnectionError` if no answer came, and the
   * signal's reason if the signal aborts.
   */
  async send(request: Sendable, options: CallOptions): Promise<Answer<unknown>> {
    const { maxRetryMs } = this.#options;
    const limits = { maxRetryMs, maxRetries: options.maxRetries ?? this.#options.maxRetries };
    const began = Date.now();
    for (let tries = 1, mayBeDone = false; ; tries += 1) {
      const arrival = await this.#authenticated(request, options);
      const { response } = arrival;
      if (response?.ok) return { response, data: decoded(arrival, request) };
      const failure = failureOf(arrival);
      const outcome = outcomeOf(failure);
      const attempted = { tries, elapsedMs: Date.now() - began, isRepeatable: request.isRepeatable };
      const pause = pauseBefore(outcome, attempted, limits, Math.random());
      // An earlier try has already deleted the record.
      const isGone = request.method === 'DELETE' && mayBeDone && GONE.has(outcome.reason);
      if (response && isGone) return { response, data: undefined };
      if (pause === undefined) throw failure;
      mayBeDone ||= isLost(outcome);
      await wait(pause, options.signal);
    }
  }

  async #authenticated(request: Sendable, options: CallOptions): Promise<Arrival> {
    const { session } = request;
    if (!session) return this.#exchange(request, options);
    const credential = await raced(session.credential(), options.signal);
    const arrival = await this.#exchange(request, options, credential);
    const { status, reason } = outcomeOf(failureOf(arrival));
    if (reason === undefined ? status !== 401 : !ENDED.has(reason)) return arrival;
    session.forget(credential);
    if (!session.isRenewable) return arrival;
    return this.#exchange(request, options, await raced(session.credential(), options.signal));
  }

  async #exchange(request: Sendable, options: CallOptions, credential?: Credential): Promise<Arrival> {
    options.signal?.throwIfAborted();
    const timeout = AbortSignal.timeout(options.timeoutMs ?? this.#options.timeoutMs);
    const signal = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout;
    const url = `${this.#options.baseUrl}${request.path}${queryText(request.query)}`;
    const init = { method: request.method, headers: this.#headers(request, credential), credentials: 'omit' as const };
    const body = bodyOf(request.body);
    try {
      const response = await this.#options.fetch(url, { ...init, ...(body === undefined ? {} : { body }), signal });
      return { response, bytes: new Uint8Array(await response.arrayBuffer()) };
    } catch (cause) {
      options.signal?.throwIfAborted();
      return { cause };
    }
  }

  #headers({ body, headers }: Sendable, credential: Credential | undefined): Headers {
    const all = new Headers(headers);
    if (credential) all.set('Authorization', credential.authorization);
    if (body !== undefined && !(body instanceof Blob)) all.set('Content-Type', 'application/json');
    if (this.#options.userAgent) all.set('User-Agent', this.#options.userAgent);
    return all;
  }
}

/** Makes the query. Undefined parameters are left out. An object becomes `name[key]=text` for each key. */
function queryText(query: object = {}): string {
  const pairs = Object.entries(query).flatMap(([name, value]): [string, string][] => {
    if (value === undefined) return [];
    if (typeof value !== 'object' || value === null) return [[name, String(value)]];
    return Object.entries(value).map(([key, text]) => [`${name}[${key}]`, String(text)]);
  });
  const text = new URLSearchParams(pairs).toString();
  return text === '' ? '' : `?${text}`;
}

const bodyOf = (body: unknown): Blob | string | undefined =>
  body === undefined || body instanceof Blob ? body : JSON.stringify(body);

function decoded(arrival: Arrival & { response: Response }, { isBytes }: Sendable): unknown {
  if (isBytes) return arrival.bytes;
  if (arrival.bytes.length === 0) return undefined;
  const value = jsonOf(arrival.bytes);
  if (value !== undefined) return value;
  const message = 'The answer is not JSON: is baseUrl the address of the service?';
  throw new MaloteError({ ...errorOf(arrival.response, undefined), message });
}

/** Parses JSON. Undefined for other bytes. */
function jsonOf(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}

function outcomeOf(failure: MaloteError | MaloteConnectionError): Outcome {
  if (!(failure instanceof MaloteError)) return { status: undefined, reason: undefined, retryAfterMs: undefined };
  const { status, reason, retryAfter } = failure;
  return { status, reason, retryAfterMs: retryAfter === undefined ? undefined : retryAfter * 1_000 };
}

function failureOf(arrival: Arrival): MaloteError | MaloteConnectionError {
  if (arrival.response) return errorOf(arrival.response, jsonOf(arrival.bytes));
  const { cause } = arrival;
  const reason = isFields(cause) && cause['name'] === 'TimeoutError' ? 'in time' : 'because the connection failed';
  return new MaloteConnectionError(`No answer came ${reason}.`, { cause });
}

/** Waits for the promise. Rejects with the signal's reason if the signal aborts first. */
function raced<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}

async function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await raced(over, signal).finally(() => clearTimeout(timer));
}
