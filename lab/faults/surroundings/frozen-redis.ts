import { setTimeout as sleep } from 'node:timers/promises';
import { healthMs } from '../../../test/support/http.js';
import { expectThat } from '../../../test/support/processes/judgement.js';
import { redisServer } from '../../../test/support/redis.js';
import { spread } from '../../figures.js';
import type { Fault } from '../fault.js';

const FREEZES = 10;
const REQUESTS = 40;
const ADDED_MS = 100;

/** The milliseconds of requests, one after the other. Infinity for a failed one. */
async function askMany(url: string): Promise<number[]> {
  const waits: number[] = [];
  for (let left = REQUESTS; left > 0; left -= 1) waits.push(await healthMs(url));
  return waits;
}

export const frozenRedis: Fault = {
  what: `the Redis of the limits is frozen ${FREEZES} times`,
  promise: `no request fails, none waits ${ADDED_MS} ms longer`,
  run: async ({ stage }) => {
    const redis = await redisServer('redis-server');
    try {
      const { url } = await stage.start('api', [], { REDIS_URL: redis.url, RATE_LIMIT_PUBLIC_PER_HOUR: '1000000' });
      const usual = spread(await askMany(url)).median;
      const waits: number[] = [];
      for (let left = FREEZES; left > 0; left -= 1) {
        redis.freeze();
        waits.push(...(await askMany(url)));
        redis.thaw();
        // Two probes of Redis, after which the service counts there again.
        await sleep(2_500);
      }
      const failed = waits.filter((ms) => !Number.isFinite(ms)).length;
      const added = Math.max(...waits.filter(Number.isFinite)) - usual;
      return {
        figures: `${waits.length} requests, failed ${failed}, at most ${added.toFixed(0)} ms above the usual ${usual.toFixed(1)} ms`,
        breaches: [
          ...expectThat(failed === 0, `${failed} failed`),
          ...expectThat(added > 20, 'no request waited for the frozen Redis'),
          ...expectThat(added <= ADDED_MS, `a request waited ${added.toFixed(0)} ms longer`),
        ],
      };
    } finally {
      await redis.kill();
    }
  },
};
