import { afterAll, describe, expect, test } from '@jest/globals';
import express from 'express';
import { createLog } from '../../src/base/telemetry/log.js';
import { createBulkhead } from '../../src/http/bulkhead.js';
import { listen } from '../../src/http/server/http-server.js';
import { createTrackingFeed } from '../../src/pages/tracking/feed.js';
import { waitFor } from '../support/receiver.js';
import { startService } from '../support/service.js';
import { ownService } from '../support/services.js';
import { packageMaker } from './tracked.js';

const service = await ownService({ TRUST_PROXY: '1' });
const newPackage = await packageMaker(service);

const closings: (() => Promise<void>)[] = [];
afterAll(() => Promise.all(closings.map((close) => close())));

/** Opens the events of a page, from a new address unless one is given. `ended` resolves at their end. */
async function watch(path: string, { url = service.url, address = '' } = {}) {
  const abort = new AbortController();
  const headers = { 'X-Forwarded-For': address || `192.0.2.${closings.length}` };
  const answer = await fetch(`${url}${path}/events`, { headers, signal: abort.signal });
  let text = '';
  const reader = answer.body?.getReader();
  const ended = (async () => {
    for (;;) {
      const chunk = await reader?.read();
      if (!chunk?.value) return;
      text += Buffer.from(chunk.value).toString();
    }
  })().catch(() => undefined);
  const close = async () => {
    abort.abort();
    await ended;
  };
  closings.push(close);
  return { status: answer.status, headers: answer.headers, sent: () => text, ended, close };
}

const says = ({ sent }: { sent(): string }, text: string): Promise<void> =>
  waitFor(() => sent().includes(text), `${JSON.stringify(text)} after ${sent()}`);

test('the feed tells every page the number of movements at once, and each change of it', async () => {
  const { path, move } = await newPackage();
  const [one, other] = [await watch(path), await watch(path)];
  expect([one.status, one.headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8']);
  expect(one.headers.get('cache-control')).toBe('no-store, no-transform');
  await says(one, 'data: 1\n\n');
  await move(14);
  await says(one, 'data: 2\n\n');
  await says(other, 'data: 2\n\n');
  expect(one.sent()).toBe('retry: 5000\n\ndata: 1\n\ndata: 2\n\n');
});

test('a page is told nothing about other packages', async () => {
  const [mine, other] = [await newPackage(), await newPackage()];
  const [stream, another] = [await watch(mine.path), await watch(other.path)];
  await other.move(14);
  await says(another, 'data: 2\n\n');
  expect(stream.sent()).not.toContain('data: 2');
});

test('an open page is told when its link is revoked; afterwards the link is 404', async () => {
  const { path, revoke } = await newPackage();
  const stream = await watch(path);
  await revoke();
  await stream.ended;
  expect(stream.sent()).toMatch(/data: gone\n\n$/);
  expect((await watch(path)).status).toBe(404);
});

test('HEAD opens no feed', async () => {
  const { path } = await newPackage();
  expect((await fetch(`${service.url}${path}/events`, { method: 'HEAD' })).status).toBe(200);
});

describe('bounds', () => {
  test('twenty pages of one address may be open; a closed page makes room for another', async () => {
    const { path } = await newPackage();
    const address = '203.0.113.7';
    const open = await Promise.all(Array.from({ length: 20 }, () => watch(path, { address })));
    expect(new Set(open.map(({ status }) => status))).toEqual(new Set([200]));
    const refused = await watch(path, { address });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60']);
    expect((await watch(path)).status).toBe(200);
    await open[0]?.close();
    await waitFor(async () => (await watch(path, { address })).status === 200, 'room for another page');
  });

  test('an IPv6 network counts as an address by its /64, and two hundred pages of its /48 may be open', async () => {
    const { path } = await newPackage();
    const from = async (address: string) => (await watch(path, { address })).status;
    const addresses = Array.from({ length: 200 }, (_, at) => `2001:db8:7:${at % 10}::${at.toString(16)}`);
    expect(new Set(await Promise.all(addresses.slice(0, 199).map(from)))).toEqual(new Set([200]));
    expect(await from('2001:db8:7:8:ffff::1')).toBe(429);
    expect(await from('2001:db8:7:a::1')).toBe(200);
    const refused = await watch(path, { address: '2001:db8:7:b::1' });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '60']);
    expect(await from('2001:db8:8::1')).toBe(200);
    expect(await from('::ffff:198.51.100.1')).toBe(200);
  });

  /** A separate feed with room for three pages. */
  async function smallFeed() {
    const { key } = await newPackage();
    const told: number[] = [];
    const watcher = (pages: number) => void told.push(pages);
    const log = createLog({ level: 'silent' });
    const bulkhead = createBulkhead({ connections: 10, waitMs: 20_000, log });
    const feed = createTrackingFeed({ db: service.db, log, bulkhead, watcher, max: 3 });
    const app = express().set('trust proxy', 1);
    app.get('/t/events', (req, res) => feed.open(req, res, { loggiKey: key, number: 0, view: 'public' }));
    app.use(((_error, _req, res, _next) => res.status(503).end()) satisfies express.ErrorRequestHandler);
    const { url, stop } = await listen(app, { port: 0, host: '127.0.0.1', shutdownSeconds: 0, setting: 'PORT' });
    const end = async () => {
      feed.stop();
      await stop();
      await waitFor(() => told.at(-1) === 0, 'no page to be open');
    };
    return { from: (address: string) => watch('/t', { url, address }), told, end };
  }

  test('a process keeps only a limited number of pages open', async () => {
    const { from, told, end } = await smallFeed();
    const statuses = [];
    for (let page = 0; page < 4; page += 1) statuses.push((await from(`192.0.2.${page}`)).status);
    expect(statuses).toEqual([200, 200, 200, 503]);
    expect(told).toEqual([1, 2, 3]);
    await end();
  });

  test('a page of another network takes the place of the oldest page of the network with most pages', async () => {
    const { from, end } = await smallFeed();
    const busy = [await from('192.0.2.1'), await from('192.0.2.1'), await from('192.0.2.1')];
    const other = await from('203.0.113.1');
    expect(other.status).toBe(200);
    await busy[0]?.ended;
    await says(other, 'data: 1');
    // Now neither network may take a place of the other: one has two pages, and the other has one.
    for (const address of ['192.0.2.1', '203.0.113.1']) expect((await from(address)).status).toBe(503);
    await end();
  });
});

test('a stop of the service ends open pages and does not wait for them', async () => {
  // Longer than a test may take.
  const stopping = await startService({ SHUTDOWN_SECONDS: '300' }, { worker: false });
  const { path } = await (await packageMaker(stopping))();
  const stream = await watch(path, { url: stopping.url });
  await says(stream, 'data: 1\n\n');
  await stopping.app.stop();
  await stream.ended;
  expect(stream.sent()).toBe('retry: 5000\n\ndata: 1\n\n');
  await stopping.stop();
});

test('an open page is no slow request in log and metrics, and the log has no token', async () => {
  const lines: string[] = [];
  const log = createLog({ level: 'info', destination: { write: (line: string) => void lines.push(line) } });
  const logging = await startService({}, { worker: false, log });
  const { path } = await (await packageMaker(logging))();
  const stream = await watch(path, { url: logging.url });
  await says(stream, 'data: 1\n\n');
  await fetch(`${logging.url}/api/v1/tracking/${path.slice(3)}`);
  await stream.close();
  await waitFor(() => lines.some((line) => line.includes('"/t/…/events"')), 'the line of the page');
  const metrics = await (await fetch(`${logging.app.internalUrl}/metrics`)).text();
  expect(metrics).toMatch(/http_request_duration_seconds_count\{[^}]*operation="watchPackage",status="200"[^}]*\} 1/);
  await logging.stop();
  expect(lines.join('')).not.toContain(path.slice(3));
});
