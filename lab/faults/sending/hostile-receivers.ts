import { readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { MAX_ANSWER_BYTES } from '../../../src/webhook/http-client.js';
import { mostMegabytes, residentMegabytes } from '../../../test/support/processes/child.js';
import { newEndpoints } from '../../../test/support/processes/endpoints.js';
import { expectThat } from '../../../test/support/processes/judgement.js';
import type { Stage } from '../../../test/support/processes/stage.js';
import { newTraffic } from '../../../test/support/processes/traffic.js';
import { drained, pending } from '../../../test/support/queue.js';
import { type Receiver, startReceiver, waitFor } from '../../../test/support/receiver.js';
import type { Fault } from '../fault.js';

const EACH = 10;
const MAX_MS = 16_000;
const MEGABYTE = 1_048_576;
/** Memory for objects of requests and uncollected garbage, in MB. It grows as much with friendly receivers. */
const REST_MEGABYTES = 16;
/**
 * The bytes that a receiver can send before the worker ends the connection. They fill the system's buffers, not the
 * worker.
 */
async function mostSent(): Promise<number> {
  const files = ['tcp_wmem', 'tcp_rmem'].map((name) => readFile(`/proc/sys/net/ipv4/${name}`, 'utf8'));
  const largest = (await Promise.all(files)).map((text) => Number(text.trim().split(/\s+/).at(-1)));
  return largest.reduce((sum, bytes) => sum + bytes, MEGABYTE);
}

type Script = (request: IncomingMessage, response: ServerResponse) => void;

function drip(response: ServerResponse, text: string): void {
  const timer = setInterval(() => response.socket?.write(text), 200);
  response.socket?.on('close', () => clearInterval(timer));
}

function flood(response: ServerResponse, status: number): void {
  const part = Buffer.alloc(65_536, 'x');
  response.writeHead(status);
  const more = () => {
    while (!response.destroyed && response.write(part));
  };
  response.on('drain', more);
  more();
}

const scripts: Readonly<Record<string, Script>> = {
  'never answers': () => undefined,
  'drips its headers': (_, response) => {
    response.socket?.write('HTTP/1.1 500 No\r\n');
    drip(response, 'x-drip: 1\r\n');
  },
  'drips its body': (_, response) => {
    response.socket?.write('HTTP/1.1 500 No\r\ncontent-length: 1000000\r\n\r\n');
    drip(response, 'x');
  },
  'sends without end': (_, response) => flood(response, 500),
  'resets the connection': (request) => void request.socket.destroy(),
  'closes its half': (_, response) => void response.socket?.end(),
  'closes in the midst of its answer': (_, response) => void response.socket?.end('HTTP/1.1 200 O'),
  'sends headers without end': (_, response) => {
    response.socket?.write('HTTP/1.1 200 OK\r\n');
    const more = () => {
      while (response.socket?.writable && response.socket.write(`x: ${'y'.repeat(8_000)}\r\n`));
    };
    response.socket?.on('drain', more);
    more();
  },
  'answers no HTTP': (_, response) => void response.socket?.end('220 smtp.example ESMTP\r\n'),
};

export const hostileReceivers: Fault = {
  what: 'receiver hangs, drips, sends without end, resets, half-closes',
  promise: 'one deadline: ≤ 16 s; a bounded answer; memory ≤ 178 KiB a connection and 16 MB more',
  run: async ({ stage }) => {
    const healthy = await stage.openReceiver();
    const hostile = await openHostile(stage);
    const world = await newEndpoints(stage, healthy, { endpoints: EACH * hostile.length });
    const traffic = newTraffic(stage.db);
    const ports = [healthy.port, ...hostile.map(({ port }) => port)];
    const worker = await stage.start('worker', ports);
    for (let warmUp = 0; warmUp < 20; warmUp += 1) await traffic.move(world);
    await drained(stage.db, 60_000);
    for (const [number, { id }] of world.entries()) {
      const url = `https://127.0.0.1:${hostile[number % hostile.length]?.port}/${number}`;
      await stage.db.updateTable('webhook_endpoints').set({ url }).where('id', '=', id).execute();
    }
    const before = await atRest(worker.pid);
    await traffic.move(world);
    const ended = waitFor(async () => (await failures(stage)).length >= world.length, 'all attempts', 25_000);
    const attempts = ended.catch(() => undefined);
    const growth = (await mostMegabytes(worker.pid, attempts)) - before;
    const durations = (await failures(stage)).map(({ ms }) => ms);
    const sent = Math.max(...hostile.map((receiver) => receiver.mostSent()));
    const mayBeSent = await mostSent();
    const waiting = await pending(stage.db);
    const untried = hostile.filter(({ received }) => received.length === 0).length;
    await Promise.all(hostile.map(({ close }) => close()));
    const longest = Math.max(...durations);
    const most = (world.length * MAX_ANSWER_BYTES) / MEGABYTE + REST_MEGABYTES;
    return {
      figures: `${durations.length} receivers: the longest attempt ${(longest / 1000).toFixed(1)} s, memory ${growth.toFixed(0)} MB more (bound ${most.toFixed(0)}), at most ${(sent / MEGABYTE).toFixed(1)} MB taken of an answer`,
      breaches: [
        ...expectThat(durations.length === world.length, `${durations.length} of ${world.length} attempts ended`),
        ...expectThat(longest <= MAX_MS, `an attempt took ${longest} ms`),
        ...expectThat(growth <= most, `the worker took ${growth.toFixed(0)} MB more`),
        ...expectThat(sent <= mayBeSent, `${sent} bytes of an answer were taken`),
        ...expectThat(waiting === world.length, `${world.length - waiting} bodies were taken for acknowledged`),
        ...expectThat(untried === 0, `${untried} receivers got no request`),
      ],
    };
  },
};

const SAMPLES = 11;
const SAMPLE_MS = 200;

/** The median memory of an idle process, because a single reading depends on the last garbage collection. */
async function atRest(pid: number): Promise<number> {
  const samples: number[] = [];
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    samples.push(await residentMegabytes(pid));
    await sleep(SAMPLE_MS);
  }
  return samples.sort((a, b) => a - b)[Math.floor(SAMPLES / 2)] ?? 0;
}

type Hostile = Receiver & { mostSent(): number };

function openHostile({ authority }: Stage): Promise<Hostile[]> {
  return Promise.all(
    Object.values(scripts).map(async (script) => {
      const receiver = await startReceiver({ authority });
      let most = 0;
      receiver.always((request, response) => {
        request.socket.on('close', () => {
          most = Math.max(most, request.socket.bytesWritten);
        });
        script(request, response);
      });
      return { ...receiver, mostSent: () => most };
    }),
  );
}

/** The longest failed attempt of each endpoint. */
async function failures({ db }: Stage): Promise<{ ms: number }[]> {
  const { rows } = await sql<{ ms: number }>`
    select max(duration_ms) as ms from webhook_attempts where outcome <> 'acknowledged' group by endpoint_id`.execute(
    db,
  );
  return rows;
}
