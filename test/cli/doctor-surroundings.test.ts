import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from '@jest/globals';
import { Redis } from 'ioredis';
import { version } from '../../src/base/version.js';
import { createAuthority, startReceiver } from '../support/receiver.js';
import { redisServer } from '../support/redis.js';
import { ownDatabase, sharedService } from '../support/services.js';
import { describeWith } from '../support/tools.js';
import { examine, seeing } from './doctor.js';

/** `malote doctor` checks the processes of this machine, and the servers that the service calls. */

const database = await ownDatabase();
const receiver = await startReceiver({ authority: await createAuthority() });
afterAll(() => receiver.close());

const examined = (settings: Record<string, string>, args: string[] = []) => examine(database.url, settings, args);

test('malote doctor asks the process on this machine', async () => {
  const { port } = new URL((await sharedService()).app.internalUrl);
  const { of } = await examined({ INTERNAL_PORT: port });
  expect(of('service')).toEqual({ check: 'service', status: 'ok', seen: 'ready' });
  expect((await examined({})).of('service')).toMatchObject({ status: 'warn' });
});

test('malote doctor finds a process that hangs, and one of another version', async () => {
  let metrics: string | undefined;
  const process = createServer((request, response) => {
    if (metrics !== undefined) response.end(request.url === '/metrics' ? metrics : 'ready\n');
  }).listen(0, '127.0.0.1');
  await once(process, 'listening');
  const { port } = process.address() as AddressInfo;
  const service = async () => (await examined({ INTERNAL_PORT: String(port) })).of('service');
  try {
    expect(await service()).toMatchObject(seeing('bad', /^a process hangs at /));
    metrics = 'malote_build_info{version="0.9.0",commit="unknown",node="v22.0.0"} 1\n';
    expect(await service()).toMatchObject(seeing('warn', /another version than this command: 0\.9\.0/));
    metrics = `malote_build_info{version="${version}",commit="unknown",node="v22.0.0"} 1\n`;
    expect(await service()).toMatchObject({ status: 'ok', seen: 'ready' });
  } finally {
    process.closeAllConnections();
    process.close();
  }
});

describeWith('redis', 'malote doctor with limits in Redis', (path) => {
  test('names an account that goes on beyond its budget, and no account that has stopped', async () => {
    const server = await redisServer(path);
    const redis = new Redis(server.url);
    const settings = { REDIS_URL: server.url, RATE_LIMIT_ACCOUNT_PER_HOUR: '100' };
    await redis.mset('malote:limit:account:calm', 100, 'malote:limit:account:over', 900, 'malote:limit:public:x', 900);
    expect((await examined(settings)).of('redis')).toEqual({ check: 'redis', status: 'ok', seen: 'it answers' });
    const asking = setInterval(() => void redis.incr('malote:limit:account:over'), 50);
    try {
      const seen = 'it answers; account or key over goes on beyond its budget';
      expect((await examined(settings)).of('redis')).toMatchObject({ status: 'warn', seen });
    } finally {
      clearInterval(asking);
      await redis.quit();
      await server.kill();
    }
  });
});

test('malote doctor finds a Redis and planning services that do not answer', async () => {
  const { of } = await examined({ REDIS_URL: 'redis://127.0.0.1:1', OSRM_URL: 'http://127.0.0.1:2' });
  expect(of('redis')).toMatchObject({ status: 'bad', seen: expect.stringContaining('ECONNREFUSED') });
  expect(of('planning')).toMatchObject({ status: 'warn', seen: 'silent: OSRM_URL (ECONNREFUSED)' });
});

test('malote doctor checks that a receiver can be reached and trusted', async () => {
  const url = `https://localhost:${receiver.port}/hook`;
  const allowed = { WEBHOOK_ALLOW_CIDRS: '127.0.0.0/8,::1/128', WEBHOOK_PORTS: String(receiver.port) };
  const statusOf = async (settings: Record<string, string>, address = url) =>
    (await examined(settings, ['--receiver', address])).of('receiver');
  expect(await statusOf({})).toMatchObject({ status: 'bad', advice: 'No endpoint may have this address.' });
  expect(await statusOf(allowed)).toMatchObject(seeing('bad', /certificate/));
  expect(await statusOf({ ...allowed }, 'https://nowhere.invalid:8443/')).toMatchObject({ status: 'bad' });
});
