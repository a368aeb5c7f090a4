import { setTimeout as sleep } from 'node:timers/promises';
import { redisServer } from '../../../test/support/redis.js';
import { expectThat, type Fault } from '../fault.js';

const FREEZES = 10;
const REQUESTS = 40;
const ADDED_MS = 100;

interface Answer {
  status: number;
  ms: number;
}

async function ask(url: string): Promise<Answer> {
  const start = performance.now();
  const answer = await fetch(`${url}/health`);
  await answer.arrayBuffer();
  return { status: answer.status, ms: performance.now() - start };
}

async function askMany(url: string): Promise<Answer[]> {
  const answers = [];
  for (let left = REQUESTS; left > 0; left -= 1) answers.push(await ask(url));
  return answers;
}

const median = (answers: readonly Answer[]): number =>
  answers.map(({ ms }) => ms).sort((a, b) => a - b)[answers.length >> 1] ?? 0;

export const frozenRedis: Fault = {
  number: 21,
  name: `the Redis of the limits is frozen ${FREEZES} times`,
  promise: `no request fails, none waits ${ADDED_MS} ms longer`,
  run: async ({ stage }) => {
    const redis = await redisServer('redis-server');
    try {
      const { url } = await stage.start('api', [], { REDIS_URL: redis.url, RATE_LIMIT_PUBLIC_PER_HOUR: '1000000' });
      const usual = median(await askMany(url));
      const frozen = [];
      for (let left = FREEZES; left > 0; left -= 1) {
        redis.freeze();
        frozen.push(...(await askMany(url)));
        redis.thaw();
        // Two pulses of the link: it counts in Redis again.
        await sleep(2_500);
      }
      const failed = frozen.filter(({ status }) => status !== 200).length;
      const added = Math.max(...frozen.map(({ ms }) => ms)) - usual;
      return {
        figures: `${frozen.length} requests, failed ${failed}, at most ${added.toFixed(0)} ms above the usual ${usual.toFixed(1)} ms`,
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
