import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import { Webhook } from 'standardwebhooks';
import type { TrackingPayload } from '../../../generated/tracking-webhook.js';
import { type Authority, certificate } from '../receiver.js';

/** What one package's entry in a body tells: the package, and since when it is in its status. */
export interface Entry {
  loggiKey: string;
  updatedTime: string;
}

/** A request as it came. */
export interface Arrival {
  /** In performance.now()'s time. */
  at: number;
  path: string;
  webhookId: string;
  replay: boolean;
  /** Of the body's bytes. */
  digest: string;
  entries: Entry[];
  /** It was answered 200 or 201. */
  acknowledged: boolean;
  /** What the published schema, Basic or the Standard Webhooks library found wrong with it. */
  refusal: string | undefined;
}

/** `hang`: no answer, ever. `reset`: the connection ends without one. */
export type Reply = { status: number; headers?: Record<string, string>; afterMs?: number } | 'hang' | 'reset';

export interface Receiver {
  port: number;
  /** The address of the n-th endpoint: all are served by this receiver. */
  urlOf(number: number): string;
  arrivals: Arrival[];
  /** Requests that are being answered, and the most that were at once. */
  open(): number;
  mostOpen(): number;
  /** Connections that were begun, whether or not a request came of them. */
  handshakes(): number;
  /** Says how requests are answered from now on; 200 at first. */
  answer(reply: (arrival: Arrival) => Reply | Promise<Reply>): void;
  /** User name, password and signing secret that it expects at a path. */
  expect(path: string, credentials: Credentials): void;
  close(): Promise<void>;
}

export interface Credentials {
  username: string;
  password: string;
  signingSecret: string;
}

const schemaFile = new URL('../../../contracts/tracking-webhook.schema.json', import.meta.url);

/** An HTTPS receiver made only of what is published: the schema, Basic, and the Standard Webhooks library. */
export async function startReceiver(authority: Authority): Promise<Receiver> {
  const { cert, private: key } = await certificate({ authority });
  const validate = formats.default(new Ajv()).compile<TrackingPayload>(JSON.parse(await readFile(schemaFile, 'utf8')));
  const arrivals: Arrival[] = [];
  const expected = new Map<string, { basic: string; webhook: Webhook }>();
  let reply: (arrival: Arrival) => Reply | Promise<Reply> = () => ({ status: 200 });
  let open = 0;
  let mostOpen = 0;

  const read = async (request: IncomingMessage): Promise<Arrival> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const { headers, url: path = '' } = request;
    const payload: unknown = JSON.parse(body.toString('utf8'));
    const entries = validate(payload) ? payload.packages.map(toEntry) : [];
    const refusal = validate.errors ? JSON.stringify(validate.errors) : refusalOf(expected.get(path), headers, body);
    return {
      at: performance.now(),
      path,
      webhookId: String(headers['webhook-id']),
      replay: headers['malote-replay'] === 'true',
      digest: createHash('sha256').update(body).digest('base64'),
      entries,
      acknowledged: false,
      refusal,
    };
  };

  const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    open += 1;
    mostOpen = Math.max(mostOpen, open);
    response.once('close', () => {
      open -= 1;
    });
    const arrival = await read(request).catch(() => undefined);
    if (!arrival) return void request.socket.destroy();
    arrivals.push(arrival);
    const answer = await reply(arrival);
    arrival.acknowledged = typeof answer === 'object' && (answer.status === 200 || answer.status === 201);
    await play(answer, request, response);
  };

  // Idle connections stay: one that ends just as it is used again is asked twice, which is not what is counted here.
  const server = createServer({ cert, key, keepAliveTimeout: 600_000 }, (request, response) => {
    void serve(request, response);
  });
  let handshakes = 0;
  server.on('connection', () => {
    handshakes += 1;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', 2_048, resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    urlOf: (number) => `https://127.0.0.1:${port}/endpoints/${number}`,
    arrivals,
    open: () => open,
    mostOpen: () => mostOpen,
    handshakes: () => handshakes,
    answer: (next) => {
      reply = next;
    },
    expect: (path, { username, password, signingSecret }) => {
      const basic = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
      expected.set(path, { basic, webhook: new Webhook(signingSecret) });
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const toEntry = ({ loggiKey, status }: TrackingPayload['packages'][number]): Entry => ({
  loggiKey,
  updatedTime: status.updatedTime,
});

function refusalOf(
  expected: { basic: string; webhook: Webhook } | undefined,
  headers: IncomingHttpHeaders,
  body: Buffer,
): string | undefined {
  if (!expected) return 'nobody is expected here';
  if (headers.authorization !== expected.basic) return 'Basic is wrong';
  const texts = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
  try {
    expected.webhook.verify(body.toString('utf8'), texts);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : 'the signature is wrong';
  }
}

async function play(reply: Reply, request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (reply === 'hang') return;
  if (reply === 'reset') return void request.socket.destroy();
  const { status, headers = {}, afterMs = 0 } = reply;
  if (afterMs > 0) await sleep(afterMs);
  response.writeHead(status, headers).end();
}
