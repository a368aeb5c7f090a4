import { ask } from '../../../test/support/http.js';
import { expectThat } from '../../../test/support/processes/judgement.js';
import { redisServer } from '../../../test/support/redis.js';
import type { Fault } from '../fault.js';

const LIMIT = 1_000;
const REQUESTS = 1_500;
const PROCESSES = 3;

/** The status of one request and the remaining budget. */
async function counted(url: string): Promise<{ status: number; remaining: number }> {
  const { status, headers } = await ask(url, 'GET', '/health');
  return { status, remaining: Number(headers.get('x-ratelimit-remaining')) };
}

export const limitsAcrossProcesses: Fault = {
  what: `more requests at once than the limit, to ${PROCESSES} processes of the API that share a Redis`,
  promise: 'exactly the limit passes',
  run: async ({ stage }) => {
    const redis = await redisServer('redis-server');
    try {
      // A long wait for Redis, because a busy machine must not change the count.
      const env = { REDIS_URL: redis.url, REDIS_TIMEOUT_MS: '10000', RATE_LIMIT_PUBLIC_PER_HOUR: String(LIMIT) };
      const starts = Array.from({ length: PROCESSES }, () => stage.start('api --no-sender', [], env));
      const urls = (await Promise.all(starts)).map(({ url }) => url);
      const requests = Array.from({ length: REQUESTS }, (_, at) => counted(urls[at % PROCESSES] ?? ''));
      const passed = (await Promise.all(requests)).filter(({ status }) => status === 200);
      const left = new Set(passed.map(({ remaining }) => remaining));
      return {
        figures: `${REQUESTS} requests at once to ${PROCESSES} processes: ${passed.length} passed, the limit is ${LIMIT}`,
        breaches: [
          ...expectThat(passed.length === LIMIT, `${passed.length} requests passed, not ${LIMIT}`),
          ...expectThat(left.size === passed.length, 'two requests were told the same number of remaining ones'),
        ],
      };
    } finally {
      await redis.kill();
    }
  },
};
