/** Child process: sends orders over connections that it keeps, one after the other on each, for as long as it is told to. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { mutation, type Variation } from './mutation.js';

export interface Job extends Omit<Variation, 'number'> {
  /** Servers that the clients are spread over. */
  urls: readonly string[];
  authorization: string;
  clients: number;
  seconds: number;
  /** Ends sooner after so many orders. */
  orders?: number;
  /** Of the first order; no job repeats the number of another. */
  firstNumber: number;
}

export interface Result {
  orders: number;
  /** Requests answered 503: the service refuses rather than lets clients wait for a connection. */
  refused: number;
  seconds: number;
  /** Milliseconds, ascending. */
  latencies: number[];
}

/** Bare sockets: what this process takes of the machine, the server does not get. */
function requestOf(url: string, { authorization, ...variation }: Job, number: number): string {
  const body = JSON.stringify({ query: mutation({ ...variation, number }) });
  const { host, pathname } = new URL(`${url}/graphql`);
  const head = [
    `POST ${pathname} HTTP/1.1`,
    `Host: ${host}`,
    'Content-Type: application/json',
    `Authorization: ${authorization}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}

/** The next response on the connection, whole; the service and its peer both give its length. */
async function response(socket: Socket): Promise<string> {
  let received = '';
  for (;;) {
    const [chunk]: Buffer[] = await once(socket, 'data');
    received += chunk?.toString('latin1') ?? '';
    const end = received.indexOf('\r\n\r\n');
    const length = /\r\ncontent-length: (\d+)/i.exec(received)?.[1];
    if (end > 0 && length === undefined) throw new Error(`a response without length:\n${received}`);
    if (end > 0 && received.length >= end + 4 + Number(length)) return received;
  }
}

/** Throws what any other answer than an order or a refusal says. */
function isOrder(answer: string): boolean {
  if (answer.startsWith('HTTP/1.1 503 ')) return false;
  if (answer.startsWith('HTTP/1.1 200 ') && answer.includes('"success":true')) return true;
  throw new Error(`no order was created: ${answer}`);
}

async function client(url: string, job: Job, result: Result, nextNumber: () => number, until: number): Promise<void> {
  const { orders = Number.POSITIVE_INFINITY } = job;
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).setNoDelay();
  await once(socket, 'connect');
  while (performance.now() < until && result.orders < orders) {
    const request = requestOf(url, job, nextNumber());
    const sent = performance.now();
    socket.write(request);
    const created = isOrder(await response(socket));
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
  result.latencies.sort((a, b) => a - b);
  return { ...result, seconds: (performance.now() - started) / 1000 };
}

process.on('message', async (job: Job) => process.send?.(await run(job)));
process.on('disconnect', () => process.exit());
