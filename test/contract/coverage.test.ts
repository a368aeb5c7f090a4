import { describe, expect, test } from '@jest/globals';
import { proxyTo } from '../support/proxy.js';
import { newRecords, recordSettings } from '../support/records.js';
import { ownDatabase, ownService } from '../support/services.js';
import { fields, resolve } from './contract-files.js';
import { complaintsAbout, type Described, operations } from './oracle.js';
import { provocationOf } from './provocations.js';
import type { World } from './world.js';

const reached = new Map<string, string[]>();

/** The status of bugs, which no request should cause. */
const UNPROVOKED = '500';

const usedUp = {
  RATE_LIMIT_ACCOUNT_PER_HOUR: '1',
  RATE_LIMIT_PUBLIC_PER_HOUR: '1',
  RATE_LIMIT_OPERATOR_PER_HOUR: '1',
};

/** The same keys for all services, so that one reads the tracking links of another. */
const codeKeys = { CODE_KEYS: `test:${Buffer.alloc(32, 7).toString('base64url')}` };

const service = await ownService({ ...recordSettings, ...codeKeys, RATE_LIMIT_OPERATOR_PER_HOUR: '100000' });
const limited = await ownService(usedUp);
await limited.operator.operator.GET('/operator/v1/packages');
const strict = await ownService({ REQUIRE_SECOND_FACTOR: '1' });
const proxy = await proxyTo((await ownDatabase()).url);
const broken = await ownService({ DATABASE_URL: proxy.url, ...codeKeys });
await proxy.cut();
const [records, others] = [await newRecords(service), await newRecords(service)];
const world: World = { service, limited, strict, broken, records, others };

const limitHeaders = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];

function documentedLimits({ document, node }: Described, status: string): string[] {
  const answer = fields(resolve(document, fields(node['responses'])[status]));
  return limitHeaders.filter((name) => name in fields(answer['headers']));
}

describe.each(operations.map((operation): [string, Described] => [operation.id, operation]))('%s', (id, operation) => {
  const documented = operation.statuses.filter((status) => status !== UNPROVOKED);

  test.each(documented)('answers %s when provoked', async (status) => {
    const answer = await provocationOf(operation, status)?.(operation, world);
    if (!answer) throw new Error(`nothing provokes ${status}`);
    expect(complaintsAbout(operation, answer)).toEqual([]);
    expect(String(answer.status)).toBe(status);
    // A failing service may fail before it counts the request.
    const carried = limitHeaders.filter((name) => status === '503' || answer.headers.has(name));
    expect(carried).toEqual(documentedLimits(operation, status));
    reached.set(id, [...(reached.get(id) ?? []), status]);
  });
});

test('every documented status of every operation was answered', () => {
  const documented = (each: Described): string[] => each.statuses.filter((status) => status !== UNPROVOKED);
  const columns = [...new Set(operations.flatMap(documented))].sort();
  const lines = operations.map((operation) => {
    const cells = columns.map((status) => {
      const isReached = reached.get(operation.id)?.includes(status);
      return (isReached ? '✓' : documented(operation).includes(status) ? '✗' : '·').padEnd(status.length);
    });
    return `${operation.id.padEnd(24)} ${cells.join(' ')}`;
  });
  const count = [...reached.values()].flat().length;
  const total = operations.flatMap(documented).length;
  const table = [`${''.padEnd(24)} ${columns.join(' ')}`, ...lines, `${count} of ${total} documented answers reached`];
  process.stdout.write(`${table.join('\n')}\n`);
  expect(count).toBe(total);
});
