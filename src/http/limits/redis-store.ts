import type { Store } from 'express-rate-limit';
import { type RedisReply, RedisStore } from 'rate-limit-redis';
import type { Logger } from '../../base/log.js';
import { memoryStore } from './memory-store.js';
import { type RedisLink, redisLink } from './redis-link.js';

/** Counters that all replicas share. */
export interface SharedCounters {
  /** To be called before `start`. */
  storeFor(budget: string): Store;
  /** Resolves when Redis has answered, or has failed to within about a second: the counters work either way. */
  start(): Promise<void>;
  stop(): Promise<void>;
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

function redisCounter(link: RedisLink, budget: string, windowMs: number): RedisStore {
  const store = new RedisStore({
    prefix: `malote:limit:${budget}:`,
    sendCommand: (...command) => replyTo(link, command),
  });
  store.windowMs = windowMs;
  // Left to itself it would load the script on the first request, and keep a failure of that for ever.
  link.onConnect(() => {
    store.incrementScriptSha = store.loadIncrementScript();
    return store.incrementScriptSha;
  });
  return store;
}

/**
 * One budget's counter: exact over all replicas while Redis answers. While it does not, this process goes on from the
 * last count that it saw, and each request weighs as many hits as there are replicas, so that together they admit the
 * limit, not its multiple. What was counted alone is forgotten when Redis is back.
 */
function sharedStore(link: RedisLink, budget: string, windowMs: number): Store {
  const shared = redisCounter(link, budget, windowMs);
  const alone = memoryStore(windowMs, link.replicas);
  return {
    localKeys: false,
    increment: async (key) => {
      const count = await link.attempt(() => shared.increment(key));
      if (!count) return alone.increment(key);
      alone.adopt(key, count);
      return count;
    },
    decrement: async (key) => {
      alone.decrement(key);
      await link.attempt(async () => ({ done: await shared.decrement(key) }));
    },
    resetKey: async (key) => {
      alone.resetKey(key);
      await link.attempt(async () => ({ done: await shared.resetKey(key) }));
    },
    shutdown: () => alone.shutdown?.(),
  };
}

interface RedisSettings {
  readonly url: string;
  /** Milliseconds that Redis has for an answer; a request waits no longer for its count. */
  readonly timeoutMs: number;
}

/** Counters in a Redis (contracts/guides/behaviour.md#rest-over-http). */
export function sharedCounters({ url, timeoutMs }: RedisSettings, windowMs: number, log: Logger): SharedCounters {
  const link = redisLink(url, timeoutMs, log);
  return {
    storeFor: (budget) => sharedStore(link, budget, windowMs),
    start: link.start,
    stop: link.stop,
  };
}
