/**
 * Measures the latency of other requests while the service makes a price table for all of Brazil in ten weight bands:
 * npm run build && npx tsx lab/bench/rate-table.ts [--rounds 3] [--seconds 20] [--clients 4]. Other accounts request
 * estimates at a steady rate, first alone and then during the table. Prints their latencies, and the table's time and
 * CPU. Exits non-zero if the p99 during the table is more than twice the p99 alone, or if the table takes more than a
 * minute of CPU.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { packageBody } from '../../test/support/bodies.js';
import { ask } from '../../test/support/http.js';
import { startChild } from '../../test/support/processes/child.js';
import { judge, machine, mention, quantile, ratios, spread } from '../figures.js';
import { connectTo, exchange } from './connection.js';
import { openStage } from './graphql/stage.js';
import { demandBuild, SERVICE } from './programs.js';

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '20' },
    clients: { type: 'string', default: '4' },
  },
});
const [rounds, seconds, clients] = [Number(values.rounds), Number(values.seconds), Number(values.clients)];
const MAX_RATIO = 2;
const MAX_CPU_S = 60;
const PACE_MS = 20;

/** The milliseconds of each estimate. Every client requests one per `PACE_MS` until `ended` resolves. */
async function latenciesUntil(ended: Promise<unknown>, url: string, head: string): Promise<number[]> {
  let isOver = false;
  const end = ended.finally(() => {
    isOver = true;
  });
  const latencies: number[] = [];
  const client = async (): Promise<void> => {
    const socket = await connectTo(url);
    while (!isOver) {
      const startedAt = performance.now();
      const answer = await exchange(socket, estimate(url, head));
      if (!answer.startsWith('HTTP/1.1 200 ')) throw new Error(`no estimate: ${answer.slice(0, 500)}`);
      const ms = performance.now() - startedAt;
      latencies.push(ms);
      await sleep(Math.max(0, PACE_MS - ms));
    }
    socket.destroy();
  };
  await Promise.all([end, ...Array.from({ length: clients }, client)]);
  return latencies;
}

function estimate(url: string, head: string): string {
  const body = JSON.stringify({ pickups: [{ address: packageBody.address }], packages: [packageBody] });
  const lines = [
    `POST /api/v1/estimates HTTP/1.1`,
    `Host: ${new URL(url).host}`,
    head,
    'Content-Type: application/json',
  ];
  return `${lines.join('\r\n')}\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}

/** Polls until the table is ready. Each pickup has a table of its own. */
async function makeTable(url: string, authorization: string, pickup: string): Promise<void> {
  const path = `/api/v1/rate-table?pickup_postal_code=${pickup}&service=express`;
  for (;;) {
    const { status, text } = await ask(url, 'GET', path, { headers: { Authorization: authorization } });
    if (status === 200) return;
    if (status !== 202) throw new Error(`no table: ${status} ${text}`);
    await sleep(500);
  }
}

await demandBuild();
const stage = await openStage();
const server = await startChild([SERVICE, '--no-sender'], stage.env, { measured: true });
try {
  console.log(machine());
  const authorization = stage.customer.authorization.rest;
  const load = (ended: Promise<unknown>) => latenciesUntil(ended, server.url, `Authorization: ${authorization}`);
  const p99s: Record<'alone' | 'beside', number[]> = { alone: [], beside: [] };
  const took: Record<'seconds' | 'cpu', number[]> = { seconds: [], cpu: [] };
  await load(sleep(5_000));
  for (let round = 0; round < rounds; round += 1) {
    const beforeAlone = await server.cpu();
    const alone = await load(sleep(1000 * seconds));
    const perEstimate = ((await server.cpu()) - beforeAlone) / alone.length;
    const [startedAt, before] = [performance.now(), await server.cpu()];
    const beside = await load(makeTable(server.url, authorization, `0131010${round}`));
    took.seconds.push((performance.now() - startedAt) / 1000);
    took.cpu.push(((await server.cpu()) - before - perEstimate * beside.length) / 1e6);
    p99s.alone.push(quantile(alone, 0.99));
    p99s.beside.push(quantile(beside, 0.99));
  }
  mention('p99 of an estimate alone, ms', spread(p99s.alone));
  mention('p99 of an estimate beside a table that is made, ms', spread(p99s.beside));
  mention('Time until the table is there, s', spread(took.seconds));
  const isCheap = judge('CPU of the table, s', spread(took.cpu), MAX_CPU_S, 'below');
  const isCalm = judge('p99 beside the table, as a share', ratios(p99s.beside, p99s.alone), MAX_RATIO, 'below');
  process.exitCode = isCheap && isCalm ? 0 : 1;
} finally {
  await server.signal('SIGTERM');
  await stage.close();
}
