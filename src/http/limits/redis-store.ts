import { type RedisReply, RedisStore } from 'rate-limit-redis';
import type { Logger } from '../../base/log.js';
import { type SharedCounter, sharedStore } from './memory-store.js';
import type { StoreFor } from './rate-limit.js';
import { type RedisLink, type RedisWatcher, redisLink } from './redis-link.js';

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
  // By itself it would load the script on the first request, and keep a failure of that for ever.
  link.onConnect(() => {
    store.incrementScriptSha = store.loadIncrementScript();
    return store.incrementScriptSha;
  });
  return { increment: (key) => link.attempt(() => store.increment(key)), replicas: link.replicas };
}

/**
 * Counters in a Redis (contracts/guides/limits.md). `start`, which comes after all `storeFor`, resolves when Redis has
 * answered, or has not for about a second: the counters work either way.
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
