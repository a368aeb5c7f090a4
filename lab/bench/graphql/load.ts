/**
 * Child process: sends orders over open connections for as long as the job says. Each connection sends one order at a
 * time.
 */
import { connectTo, exchange } from '../connection.js';
import { mutation, restBody, type Variation } from './mutation.js';

export interface Job extends Omit<Variation, 'number'> {
  /** Servers that share the clients. */
  urls: readonly string[];
  interfaceName: 'graphql' | 'rest';
  authorization: string;
  clients: number;
  seconds: number;
  /** Ends earlier after so many orders. */
  orders?: number;
  /** The number of the first order. Each job uses numbers of its own. */
  firstNumber: number;
}

export interface Result {
  orders: number;
  /** Requests answered 503. The service answers so rather than let clients wait for a connection. */
  refused: number;
  seconds: number;
  /** Milliseconds. */
  latencies: number[];
}

const paths = { graphql: '/graphql', rest: '/api/v1/orders' };

function requestOf(url: string, { authorization, interfaceName, ...variation }: Job, number: number): string {
  const each = { ...variation, number };
  const body = JSON.stringify(interfaceName === 'rest' ? restBody(each) : { query: mutation(each) });
  const { host, pathname } = new URL(url + paths[interfaceName]);
  const head = [
    `POST ${pathname} HTTP/1.1`,
    `Host: ${host}`,
    'Content-Type: application/json',
    `Authorization: ${authorization}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}

/** Throws the text of any answer that is neither an order nor a refusal. */
function isOrder(answer: string): boolean {
  if (answer.startsWith('HTTP/1.1 503 ')) return false;
  if (answer.startsWith('HTTP/1.1 201 ')) return true;
  if (answer.startsWith('HTTP/1.1 200 ') && answer.includes('"success":true')) return true;
  throw new Error(`no order was created: ${answer}`);
}

async function client(url: string, job: Job, result: Result, nextNumber: () => number, until: number): Promise<void> {
  const { orders = Number.POSITIVE_INFINITY } = job;
  const socket = await connectTo(url);
  while (performance.now() < until && result.orders < orders) {
    const request = requestOf(url, job, nextNumber());
    const sent = performance.now();
    const created = isOrder(await exchange(socket, request));
    result.latencies.push(performance.now() - sent);
    result[created ? 'orders' : 'refused'] += 1;
  }
  socket.destroy();
}

async function run(job: Job): Promise<Result> {
  const result: Result = { orders: 0, refused: 0, seconds: 0, latencies: [] };
  let number = job.firstNumber;
  const started = performance.now();
  const until = started + job.seconds * 1000;
  const clients = Array.from({ length: job.clients }, (_, at) => job.urls[at % job.urls.length] ?? '');
  await Promise.all(clients.map((url) => client(url, job, result, () => number++, until)));
  return { ...result, seconds: (performance.now() - started) / 1000 };
}

process.on('message', async (job: Job) => process.send?.(await run(job)));
process.on('disconnect', () => process.exit());
