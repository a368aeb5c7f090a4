/**
 * Child process: sends orders over connections that it keeps, one after the other on each, for as long as the job says.
 */
import { connectTo, exchange } from '../connection.js';
import { mutation, restBody, type Variation } from './mutation.js';

export interface Job extends Omit<Variation, 'number'> {
  /** Servers that the clients are spread over. */
  urls: readonly string[];
  interfaceName: 'graphql' | 'rest';
  authorization: string;
  clients: number;
  seconds: number;
  /** Ends sooner after so many orders. */
  orders?: number;
  /** The number of the first order. No job repeats the number of another. */
  firstNumber: number;
}

export interface Result {
  orders: number;
  /** Requests answered 503: the service refuses rather than lets clients wait for a connection. */
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

/** Throws what any other answer than an order or a refusal says. */
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
