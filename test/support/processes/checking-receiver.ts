import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { IncomingHttpHeaders } from 'node:http';
import { Ajv } from 'ajv';
import formats from 'ajv-formats';
import { Webhook } from 'standardwebhooks';
import type { TrackingPayload } from '../../../generated/tracking-webhook.js';
import { type Authority, play, type Received, type ReceiverOptions, type Reply, startReceiver } from '../receiver.js';

/** One package's entry in a body: the package, and since when it is in its status. */
type Entry = { loggiKey: string; updatedTime: string };

export interface Arrival {
  /** In performance.now()'s time. */
  at: number;
  path: string;
  webhookId: string;
  replay: boolean;
  digest: string;
  entries: Entry[];
  /** It was answered 200 or 201. */
  acknowledged: boolean;
  /** Faults found by the published schema, Basic or the Standard Webhooks library. */
  refusal: string | undefined;
}

export type CheckingReceiver = Awaited<ReturnType<typeof startCheckingReceiver>>;

type Expected = { basic: string; webhook: Webhook };

type Credentials = { username: string; password: string; signingSecret: string };

const schemaFile = new URL('../../../contracts/tracking-webhook.schema.json', import.meta.url);

/** An HTTPS receiver made only of published parts: the schema, Basic, and the Standard Webhooks library. */
export async function startCheckingReceiver(authority: Authority, place: Pick<ReceiverOptions, 'names' | 'host'> = {}) {
  const validate = formats.default(new Ajv()).compile<TrackingPayload>(JSON.parse(await readFile(schemaFile, 'utf8')));
  const arrivals: Arrival[] = [];
  const expected = new Map<string, Expected>();
  let reply: (arrival: Arrival) => Reply | Promise<Reply> = () => ({ status: 200 });

  const arrivalOf = ({ at, path, headers, body }: Received): Arrival => {
    const payload = parsed(body);
    const entries = validate(payload) ? payload.packages.map(toEntry) : [];
    return {
      at,
      path,
      webhookId: String(headers['webhook-id']),
      replay: headers['malote-replay'] === 'true',
      digest: createHash('sha256').update(body).digest('base64'),
      entries,
      acknowledged: false,
      refusal: validate.errors ? JSON.stringify(validate.errors) : refusalOf(expected.get(path), headers, body),
    };
  };

  // Idle connections stay: a request on a connection that ends just then is sent twice, and would count here.
  const receiver = await startReceiver({ authority, keepAliveMs: 600_000, ...place });
  receiver.always(async (request, response, received) => {
    const arrival = arrivalOf(received);
    arrivals.push(arrival);
    const answer = await reply(arrival);
    arrival.acknowledged = typeof answer === 'object' && (answer.status === 200 || answer.status === 201);
    await play(answer, request, response);
  });
  const { port, connections, open, maxOpen, renew, close } = receiver;
  return {
    ...{ port, connections, open, maxOpen, renew, close },
    /** The address of the n-th endpoint: all are served by this receiver. */
    urlOf: (number: number) => `https://${place.host ?? '127.0.0.1'}:${receiver.port}/endpoints/${number}`,
    arrivals,
    /** Forgets earlier requests: hours of them would slow the receiving process. */
    forget: () => {
      arrivals.length = 0;
      receiver.received.length = 0;
    },
    /** Says how requests are answered from now on; 200 at first. */
    answer: (next: typeof reply) => {
      reply = next;
    },
    /** User name, password and signing secret that it expects at a path. */
    expect: (path: string, { username, password, signingSecret }: Credentials) => {
      const basic = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
      expected.set(path, { basic, webhook: new Webhook(signingSecret) });
    },
  };
}

function parsed(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString('utf8'));
  } catch {
    return undefined;
  }
}

const toEntry = ({ loggiKey, status }: TrackingPayload['packages'][number]): Entry => ({
  loggiKey,
  updatedTime: status.updatedTime,
});

function refusalOf(expected: Expected | undefined, headers: IncomingHttpHeaders, body: Buffer): string | undefined {
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
