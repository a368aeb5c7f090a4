import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { type RedisReply, RedisStore } from 'rate-limit-redis';
import { newId } from '../../base/ids.js';
import type { Logger } from '../../base/telemetry/log.js';
import { type SharedCounter, sharedStore } from './memory-store.js';
import type { StoreFor } from './rate-limit.js';

interface RedisLink {
  send(command: string, ...args: string[]): Promise<unknown>;
  /** Does the work. Undefined while the link is alone, or if the work fails or is too slow. The link is then alone. */
  attempt<T extends object>(work: () => Promise<T>): Promise<T | undefined>;
  replicas(): number;
  /** Adds work that each new connection does before `attempt` uses it. */
  onConnect(prepare: () => Promise<unknown>): void;
  start(): Promise<void>;
  stop(): Promise<void>;
}

const TICKS = 5;
const PULSE_MS = 1_000;
const RECONNECT_MS = 500;
// A connection that is silent for this long is replaced, because the network may have lost it.
const SILENCE_MS = 3_000;

/** Registers this process and returns the number of processes. A process that did not register for 5 s is removed. */
const REGISTER = `
local now = tonumber(redis.call('TIME')[1])
redis.call('ZADD', KEYS[1], now, ARGV[1])
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now - 5)
redis.call('EXPIRE', KEYS[1], 60)
return redis.call('ZCARD', KEYS[1])`;

/**
 * Waits for an answer in ticks, with a turn of the event loop after each. While this process was busy, the answer may
 * have arrived in the socket unread.
 */
async function inTime<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  const late = new Promise<never>((_resolve, reject) => {
    const tick = (ticksLeft: number): void => {
      if (isOver) return;
      if (ticksLeft === 0) reject(new Error(`no answer within ${timeoutMs} ms`));
      else timer = setTimeout(() => setImmediate(tick, ticksLeft - 1), timeoutMs / TICKS);
    };
    tick(TICKS);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    isOver = true;
    clearTimeout(timer);
  }
}

function clientOf(url: string): Redis {
  const client = new Redis(url, {
    connectionName: 'malote',
    connectTimeout: 2_000,
    socketTimeout: SILENCE_MS,
    retryStrategy: () => RECONNECT_MS,
    // Never send a command again: this process has already counted it, so it would count twice.
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
  });
  // The commands report the errors.
  client.on('error', () => undefined);
  return client;
}

export interface RedisWatcher {
  onState(isConnected: boolean): void;
  onAlone(): void;
}

/**
 * Opens a link to a Redis. It has two states. Connected: each command has `timeoutMs` for its answer. Alone, after a
 * failure: nothing waits for Redis. A pulse tests the connection and registers this process; an answer to it connects
 * the link again. Each change of state is one log line.
 */
function redisLink(url: string, timeoutMs: number, log: Logger, watcher?: RedisWatcher): RedisLink {
  const client = clientOf(url);
  const id = newId();
  const prepares: (() => Promise<unknown>)[] = [];
  let state: 'new' | 'connected' | 'alone' | 'stopped' = 'new';
  let replicas = 1;
  let timer: NodeJS.Timeout | undefined;

  const send = async (command: string, ...args: string[]): Promise<unknown> => client.call(command, ...args);

  function lose(err: unknown): void {
    if (state === 'alone' || state === 'stopped') return;
    state = 'alone';
    watcher?.onState(false);
    log.warn({ err }, 'rate_limits.redis_lost');
  }

  async function connected(): Promise<void> {
    replicas = Math.max(1, Number(await inTime(send('EVAL', REGISTER, '1', 'malote:replicas', id), timeoutMs)));
    if (state === 'connected' || state === 'stopped') return;
    for (const prepare of prepares) await inTime(prepare(), timeoutMs);
    state = 'connected';
    watcher?.onState(true);
    log.info({ replicas }, 'rate_limits.redis_used');
  }

  async function pulse(): Promise<void> {
    await connected().catch(lose);
    if (state !== 'stopped') timer = setTimeout(() => void pulse(), PULSE_MS).unref();
  }

  return {
    send,
    attempt: async <T extends object>(work: () => Promise<T>): Promise<T | undefined> => {
      if (state === 'connected') {
        try {
          return await inTime(work(), timeoutMs);
        } catch (error) {
          lose(error);
        }
      }
      watcher?.onAlone();
      return undefined;
    },
    replicas: () => replicas,
    onConnect: (prepare: () => Promise<unknown>): void => void prepares.push(prepare),
    start: async (): Promise<void> => {
      const connecting = new Promise((resolve) => ['ready', 'close'].map((event) => client.once(event, resolve)));
      await Promise.race([connecting, sleep(PULSE_MS + timeoutMs, undefined, { ref: false })]);
      await pulse();
    },
    stop: async (): Promise<void> => {
      state = 'stopped';
      clearTimeout(timer);
      client.disconnect();
    },
  };
}

const isDatum = (value: unknown): value is string | number | boolean =>
  ['string', 'number', 'boolean'].includes(typeof value);
const isReply = (value: unknown): value is RedisReply => (Array.isArray(value) ? value.every(isDatum) : isDatum(value));

async function replyTo(link: RedisLink, command: readonly string[]): Promise<RedisReply> {
  const [name = '', ...args] = command;
  const reply = await link.send(name, ...args);
  if (!isReply(reply)) throw new Error(`Redis answers ${name} with something other than text and numbers`);
  return reply;
}

function redisCounter(link: RedisLink, budget: string, windowMs: number): SharedCounter {
  const store = new RedisStore({
    prefix: `malote:limit:${budget}:`,
    sendCommand: (...command) => replyTo(link, command),
  });
  store.windowMs = windowMs;
  // Load the script at each connection. By itself the store would load it at the first request, and keep a failure for
  // ever.
  link.onConnect(() => {
    store.incrementScriptSha = store.loadIncrementScript();
    return store.incrementScriptSha;
  });
  return { increment: (key) => link.attempt(() => store.increment(key)), replicas: link.replicas };
}

/**
 * Counts in a Redis (contracts/guides/limits.md). Call `start` after all `storeFor`. It resolves after an answer of
 * Redis, or after about a second without one. The counters work in both cases.
 */
export function sharedCounters(
  { url, timeoutMs, watcher }: { url: string; timeoutMs: number; watcher?: RedisWatcher },
  windowMs: number,
  log: Logger,
) {
  const link = redisLink(url, timeoutMs, log, watcher);
  const storeFor: StoreFor = (budget) => sharedStore(redisCounter(link, budget, windowMs), windowMs);
  return { storeFor, start: link.start, stop: link.stop };
}
