import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { healthMs } from '../../../test/support/http.js';
import { mostMegabytes, residentMegabytes } from '../../../test/support/processes/child.js';
import { expectThat } from '../../../test/support/processes/judgement.js';
import type { Fault } from '../fault.js';
import { openSocket } from './sockets.js';

const SOCKETS = 30;
const ALLOWED_MB = 200;
const FREED_MS = 30_000;
/** The service looks for slow readers every second, and less often on a busy machine. */
const LATER_MS = 15_000;
const PATIENCE_MS = 20_000;
const HEALTHY_MS = 1_000;

/** The largest answer that needs no token. */
const ASK = 'GET /docs/operator.openapi.json HTTP/1.1\r\nHost: a\r\n\r\n';
/** Numbers of requests sent ahead: the allowed number, and the number that fits into one packet. */
const MAY_BE_AHEAD = 100;
const ahead = [MAY_BE_AHEAD, 1_100];

/** Sends requests and never reads their answers. */
async function askUnread(url: string, count: number): Promise<Socket> {
  const socket = await openSocket(url);
  socket.pause();
  socket.write(ASK.repeat(count));
  return socket;
}

/** True if the service has ended the connection: then fewer bytes can be read than were requested. */
async function isEnded(socket: Socket, expected: number): Promise<boolean> {
  let read = 0;
  socket.on('data', (chunk: Buffer) => {
    read += chunk.length;
    if (read >= expected) socket.destroy();
  });
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.resume();
  await Promise.race([closed, sleep(PATIENCE_MS, undefined, { ref: false })]);
  const isClosed = socket.destroyed;
  socket.destroy();
  return isClosed && read < expected;
}

export const slowReaders: Fault = {
  what: `${SOCKETS * ahead.length} connections that send requests ahead and never read an answer`,
  promise: `ended after ${FREED_MS / 1000} s, with at most ${ALLOWED_MB} MB more of memory, others served`,
  run: async ({ stage }) => {
    const { url, pid } = await stage.start('api', []);
    const answer = await fetch(`${url}/docs/operator.openapi.json`).then((each) => each.text());
    const expected = MAY_BE_AHEAD * answer.length;
    const before = await residentMegabytes(pid);
    const sockets = await Promise.all(
      ahead.flatMap((count) => Array.from({ length: SOCKETS }, () => askUnread(url, count))),
    );
    const waits: number[] = [];
    const watch = async (): Promise<void> => {
      const end = performance.now() + FREED_MS + LATER_MS;
      while (performance.now() < end) {
        waits.push(await healthMs(url));
        await sleep(200);
      }
    };
    const more = (await mostMegabytes(pid, watch())) - before;
    const ended = (await Promise.all(sockets.map((socket) => isEnded(socket, expected)))).filter(Boolean).length;
    const slowest = Math.max(...waits);
    return {
      figures: `${ended} of ${sockets.length} ended, ${more.toFixed(0)} MB more, ${waits.length} others served, the slowest in ${slowest.toFixed(0)} ms`,
      breaches: [
        ...expectThat(ended === sockets.length, `${sockets.length - ended} connections are still held`),
        ...expectThat(more <= ALLOWED_MB, `it takes ${more.toFixed(0)} MB more`),
        ...expectThat(slowest <= HEALTHY_MS, `another client waited ${slowest.toFixed(0)} ms`),
      ],
    };
  },
};
