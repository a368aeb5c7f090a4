import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { TrackingPayload } from '../../../../generated/tracking-webhook.js';
import { type Check, createCheck, type Expected } from './check.js';

export interface Arrival {
  webhookId: string;
  at: Date;
  /** Sentences about what is wrong; empty when all is well. */
  faults: string[];
  /** Undefined unless it fits the schema. */
  payload: TrackingPayload | undefined;
  duplicate: boolean;
  replay: boolean;
}

export type Answer = 200 | 410 | 500 | 'hang';

export interface ReceiverOptions extends Expected {
  cert: string;
  key: string;
  /** 0 takes any free one. */
  port: number;
  answer?: Answer;
  onArrival(arrival: Arrival): void;
}

export interface Receiver {
  url: string;
  port: number;
  expectSignature(secret: string): void;
  close(): Promise<void>;
}

/**
 * A customer's endpoint on this machine: HTTPS, and every delivery checked. Forged ones are answered 401; a body that
 * does not fit the schema is acknowledged, since sending it again would not help. Throws Error when the port, the
 * secret or the key cannot be used.
 */
export async function startReceiver(options: ReceiverOptions): Promise<Receiver> {
  const { cert, key, port: wanted, answer = 200, onArrival, ...expected } = options;
  const check = createCheck(expected);
  const arrivalOf = arrivals(check);
  const server = createServer({ cert, key }, async (request, response) => {
    if (request.method !== 'POST') return void response.writeHead(405, { Allow: 'POST' }).end();
    const body = await bodyOf(request).catch(() => undefined);
    if (body === undefined) return void response.writeHead(413, { Connection: 'close' }).end();
    const { forged, ...arrival } = arrivalOf(request, body);
    onArrival(arrival);
    if (forged) response.writeHead(401).end();
    else if (answer !== 'hang') response.writeHead(answer).end();
  });
  server.listen(wanted, 'localhost');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : wanted;
  const url = `https://localhost:${port}/tracking`;
  return { port, url, expectSignature: check.expectSignature, close: () => close(server) };
}

function arrivals(check: Check) {
  const seenIds = new Set<string>();
  return ({ headers }: IncomingMessage, body: string): Arrival & { forged: boolean } => {
    const { forged, invalid, payload } = check(headers, body);
    const webhookId = String(headers['webhook-id'] ?? '');
    const duplicate = seenIds.has(webhookId);
    if (forged === undefined) seenIds.add(webhookId);
    const faults = [forged, invalid].filter((fault) => fault !== undefined);
    const replay = headers['malote-replay'] === 'true';
    return { webhookId, at: new Date(), faults, payload, duplicate, replay, forged: forged !== undefined };
  };
}

// Four times what the service sends at most.
const LONGEST_BODY = 1_048_576;

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    if (length > LONGEST_BODY) throw new Error('the body is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

const GRACE_MS = 200;

/** Answers that are on their way still go out; a sender that is left hanging is cut off. */
async function close(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  const cut = setTimeout(() => server.closeAllConnections(), GRACE_MS);
  await closed;
  clearTimeout(cut);
}
