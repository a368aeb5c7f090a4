/**
 * Child process: sends one kind of request over connections that it keeps, one after the other on each, until it is
 * told to stop.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { ask } from '../../../test/support/http.js';

export interface Flood {
  url: string;
  token: string;
  method: string;
  path: string;
  /** Packages of each request's order; no body is sent without it. */
  packages?: number;
  clients: number;
}

/** Counts by status; 0 stands for no answer. */
export type FloodResult = Record<number, number>;

const address = (number: number, at: number) =>
  `Rua dos Pinheiros ${number}, ${at + 10} - Pinheiros, São Paulo - SP, 05422-000`;

/** An order of which no address was ever read before. */
function orderOf(packages: number, number: number): object {
  return {
    pickups: [{ address: { address: address(number, 0) } }],
    packages: Array.from({ length: packages }, (_, at) => ({
      pickup_index: 0,
      recipient: { name: `Bruno Lima ${at}`, phone: '+55 11 98888-7777' },
      address: { address: address(number, at + 1) },
      dimensions: { width: 20, height: 10, length: 30, weight: 1200 },
    })),
  };
}

let isOver = false;
let number = 0;

async function client({ url, method, path, token, packages }: Flood, result: FloodResult): Promise<void> {
  while (!isOver) {
    const body = packages === undefined ? undefined : orderOf(packages, number++);
    const { status } = await ask(url, method, path, { token, body }).catch(() => ({ status: 0 }));
    result[status] = (result[status] ?? 0) + 1;
    // As a client does that is told to come back later, only sooner.
    if (status >= 400) await sleep(50);
  }
}

process.on('message', async (message: Flood | 'stop') => {
  if (message === 'stop') {
    isOver = true;
    return;
  }
  const result: FloodResult = {};
  isOver = false;
  await Promise.all(Array.from({ length: message.clients }, () => client(message, result)));
  process.send?.(result);
});
process.on('disconnect', () => process.exit());
