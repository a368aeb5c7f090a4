import { parseArgs } from 'node:util';
import type { Child } from '../../test/support/processes/child.js';
import { spread } from '../figures.js';
import { connectTo, exchange } from './connection.js';

/** A GET that is sent repeatedly, or a POST if it has a body. */
export interface Request {
  path: string;
  /** Lines of the head, each with its line break. */
  head?: string;
  /** JSON, or a function that makes the JSON of the next request. */
  body?: string | (() => string);
  /** 200 by default. */
  status?: number;
}

/** The size of a measurement: `requests` per round, shared by the connections of all `clients`. */
interface Effort {
  rounds: number;
  requests: number;
  clients: number;
}

/** Reads the size from the command line. */
export function effortOf(): Effort {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '7' },
      requests: { type: 'string', default: '3000' },
      clients: { type: 'string', default: '16' },
    },
  });
  return { rounds: Number(values.rounds), requests: Number(values.requests), clients: Number(values.clients) };
}

/** Throws at the first answer with another status. */
async function load(url: string, asked: Request, { requests, clients }: Effort): Promise<void> {
  const { path, head = '', body, status = 200 } = asked;
  const lines = `Host: ${new URL(url).host}\r\n${head}`;
  const post = (json: string) =>
    `POST ${path} HTTP/1.1\r\n${lines}Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(json)}\r\n\r\n${json}`;
  const same = typeof body === 'string' ? post(body) : `GET ${path} HTTP/1.1\r\n${lines}\r\n`;
  const next = typeof body === 'function' ? () => post(body()) : () => same;
  let left = requests;
  const client = async (): Promise<void> => {
    const socket = await connectTo(url);
    while (left > 0) {
      left -= 1;
      const answer = await exchange(socket, next());
      if (!answer.startsWith(`HTTP/1.1 ${status} `)) throw new Error(`not answered ${status}: ${answer.slice(0, 500)}`);
    }
    socket.destroy();
  };
  await Promise.all(Array.from({ length: clients }, client));
}

/** The server's CPU per request of one round, in microseconds. */
async function cost(server: Child, request: Request, effort: Effort): Promise<number> {
  const before = await server.cpu();
  await load(server.url, request, effort);
  return ((await server.cpu()) - before) / effort.requests;
}

type Ways<Name extends string> = Readonly<Record<Name, readonly [Child, Request]>>;

/** Measures each named request in turn, after three rounds to warm up, and prints the costs of each round. */
export async function costs<Name extends string>(ways: Ways<Name>, effort: Effort): Promise<Record<Name, number[]>>;
export async function costs(ways: Ways<string>, effort: Effort): Promise<Record<string, number[]>> {
  const warming = { ...effort, requests: 3 * effort.requests };
  for (const [server, request] of Object.values(ways)) await load(server.url, request, warming);
  const all: Record<string, number[]> = Object.fromEntries(Object.keys(ways).map((name) => [name, []]));
  for (let round = 0; round < effort.rounds; round += 1) {
    for (const [name, [server, request]] of Object.entries(ways)) all[name]?.push(await cost(server, request, effort));
  }
  for (const [name, each] of Object.entries(all)) print(name, spread(each));
  return all;
}

const print = (name: string, { median, min, max }: ReturnType<typeof spread>): void =>
  console.log(`${name.padEnd(9)} ${median.toFixed(0)} µs of CPU per request (${min.toFixed(0)}–${max.toFixed(0)})`);
