import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { healthMs } from '../../../test/support/http.js';
import { expectThat } from '../../../test/support/processes/judgement.js';
import type { Fault } from '../fault.js';
import { openSocket } from './sockets.js';

const SOCKETS = 2_000;
const BATCH = 100;
const FREED_MS = 12_000;
const PATIENCE_MS = 20_000;
const HEALTHY_MS = 1_000;

const SLOW_HEADERS = 'GET /health HTTP/1.1\r\nHost: a\r\n';
const SLOW_BODY =
  'POST /auth/login HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 1000\r\n\r\n{';

/** Sends one byte per second of an endless request, or nothing. Resolves to the time until the service ended it. */
async function drip(socket: Socket, index: number): Promise<number> {
  const openedAt = performance.now();
  const [first, next] = [['', ''] as const, [SLOW_HEADERS, 'X: y\r\n'] as const, [SLOW_BODY, ' '] as const][
    index % 3
  ] ?? ['', ''];
  socket.write(first);
  const timer = setInterval(() => next && socket.write(next), 1_000);
  socket.resume();
  await Promise.race([once(socket, 'close'), sleep(PATIENCE_MS, undefined, { ref: false })]);
  clearInterval(timer);
  socket.destroy();
  return performance.now() - openedAt;
}

/**
 * Opens connections in small groups, so that none waits long in the system's queue, where it costs the service nothing.
 */
async function dripAll(url: string): Promise<number[]> {
  const drips: Promise<number>[] = [];
  for (let from = 0; from < SOCKETS; from += BATCH) {
    const opened = await Promise.all(Array.from({ length: BATCH }, () => openSocket(url)));
    drips.push(...opened.map((socket, index) => drip(socket, index)));
  }
  return Promise.all(drips);
}

export const slowClients: Fault = {
  what: `${SOCKETS} silent sockets, slow headers and slow bodies`,
  promise: `dropped within ${FREED_MS / 1000} s, others served`,
  run: async ({ stage }) => {
    const { url } = await stage.start('api', []);
    const ended = dripAll(url);
    const waits: number[] = [];
    let over = false;
    void ended.then(() => (over = true));
    while (!over) {
      waits.push(await healthMs(url, { Connection: 'close' }));
      await sleep(100);
    }
    const freed = Math.max(...(await ended));
    const slowest = Math.max(...waits);
    return {
      figures: `every socket freed within ${(freed / 1000).toFixed(1)} s; ${waits.length} others served, the slowest in ${slowest.toFixed(0)} ms`,
      breaches: [
        ...expectThat(freed <= FREED_MS, `a socket was held for ${(freed / 1000).toFixed(1)} s`),
        ...expectThat(slowest <= HEALTHY_MS, `another client waited ${slowest.toFixed(0)} ms`),
      ],
    };
  },
};
