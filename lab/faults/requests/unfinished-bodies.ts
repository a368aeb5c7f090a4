import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { orderBody } from '../../../test/support/bodies.js';
import { accessToken, ask } from '../../../test/support/http.js';
import { mostMegabytes, residentMegabytes } from '../../../test/support/processes/child.js';
import { expectThat } from '../../../test/support/processes/judgement.js';
import { newCustomer } from '../../../test/support/processes/orders.js';
import { operatorLogin } from '../../../test/support/service.js';
import type { Fault } from '../fault.js';
import { openSocket } from './sockets.js';

const BODIES = 900;
const MEGABYTE = 1_048_576;
/**
 * The bound in MiB: the budget of 64 MiB for bodies, and for each connection its streams and 64 KiB of discarded input.
 * Without a bound memory grew to 830 MiB.
 */
const ALLOWED_MB = 64 + 0.15 * BODIES;
/** Longer than a request may take to arrive. */
const PATIENCE_MS = 30_000;
const LOOK_MS = 500;

/** A body without its last byte. */
const unfinished = Buffer.alloc(MEGABYTE - 1, 0x20);

const headOf = (path: string, token: string | undefined): string =>
  [
    `POST ${path} HTTP/1.1`,
    'Host: a',
    'Content-Type: application/json',
    `Content-Length: ${MEGABYTE}`,
    ...(token === undefined ? [] : [`Authorization: Bearer ${token}`]),
  ].join('\r\n');

interface Sent {
  socket: Socket;
  /** The status of its answer, 0 until then. */
  status(): number;
}

async function send(url: string, path: string, token: string | undefined): Promise<Sent> {
  const socket = await openSocket(url);
  let answer = '';
  socket.on('data', (chunk: Buffer) => {
    answer += chunk.toString('latin1');
  });
  socket.write(`${headOf(path, token)}\r\n\r\n`);
  socket.write(unfinished);
  return { socket, status: () => Number(/^HTTP\/1\.1 (\d+)/.exec(answer)?.[1] ?? 0) };
}

export const unfinishedBodies: Fault = {
  what: `${BODIES} bodies of 1 MiB that lack their last byte: of 9 accounts, of operators, of nobody`,
  promise: `429 and 503, at most ${ALLOWED_MB} MB more of memory; orders of others are served`,
  run: async ({ stage }) => {
    const receiver = await stage.openReceiver();
    const { url, pid } = await stage.start('api --no-sender', [receiver.port]);
    const tokens: string[] = [];
    while (tokens.length < 10) tokens.push(await accessToken(url, await newCustomer(stage, receiver)));
    const [other = '', ...senders] = tokens;
    const operator = await accessToken(url, operatorLogin);
    const ways: [path: string, token: string | undefined][] = [
      ...senders.map((token): [string, string] => ['/api/v1/orders', token]),
      ['/operator/v1/movements', operator],
      ['/auth/login', undefined],
    ];
    for (let warm = 0; warm < 50; warm += 1)
      await ask(url, 'POST', '/api/v1/orders', { token: other, body: orderBody() });
    const before = await residentMegabytes(pid);
    const all: Sent[] = [];
    let refused = 0;
    const attack = async () => {
      for (let number = 0; number < BODIES; number += 1) {
        const [path, token] = ways[number % ways.length] ?? ['/auth/login', undefined];
        all.push(await send(url, path, token));
        if (number % 20 > 0) continue;
        const { status } = await ask(url, 'POST', '/api/v1/orders', { token: other, body: orderBody() });
        if (status !== 201) refused += 1;
      }
      const end = performance.now() + PATIENCE_MS;
      while (all.some(({ socket }) => !socket.destroyed) && performance.now() < end) await sleep(LOOK_MS);
    };
    const more = (await mostMegabytes(pid, attack())) - before;
    const counts = new Map<number, number>();
    for (const { socket, status } of all) {
      counts.set(status(), (counts.get(status()) ?? 0) + 1);
      socket.destroy();
    }
    const answers = [...counts].map(([status, times]) => `${times} × ${status}`).join(', ');
    return {
      figures: `${answers}; ${more.toFixed(0)} MB more; ${refused} orders of others refused`,
      breaches: [
        ...expectThat(more <= ALLOWED_MB, `it takes ${more.toFixed(0)} MB more`),
        ...expectThat(refused === 0, `${refused} orders of others were refused`),
        ...[429, 503].flatMap((status) => expectThat(counts.has(status), `nothing was answered ${status}`)),
        ...expectThat(!counts.has(0), `${counts.get(0)} were never answered`),
      ],
    };
  },
};
