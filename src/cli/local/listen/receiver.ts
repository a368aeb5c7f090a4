import { type KeyObject, verify } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { createServer, type Server } from 'node:https';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { Webhook } from 'standardwebhooks';
import { type TrackingPayload, trackingSchema } from '../../../../generated/tracking-webhook.js';
import { MEBIBYTE, parseJson } from '../../../base/values.js';
import { toPublicKey } from '../../../endpoints/key-pairs.js';

/** The values that a delivery must have. Missing values are not checked. */
export interface Expected {
  username?: string;
  password?: string | undefined;
  secret?: string | undefined;
  publicKey?: string | undefined;
  /** The JSON Schema of the payload. The default is this version's. */
  schema?: object;
}

const signedNames = ['webhook-id', 'webhook-timestamp', 'webhook-signature'] as const;

function signatureFault(webhook: Webhook, headers: IncomingHttpHeaders, body: string): string | undefined {
  const signed = Object.fromEntries(signedNames.map((name) => [name, String(headers[name] ?? '')]));
  try {
    webhook.verify(body, signed, { jsonParse: false });
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : 'wrong signature';
  }
}

const TOLERATED_SECONDS = 300;

/** Checks the signature by a public key, which the library cannot do. */
function publicKeyFault(key: KeyObject, headers: IncomingHttpHeaders, body: string): string | undefined {
  const [id, sentAt, signatures = ''] = signedNames.map((name) => String(headers[name] ?? ''));
  if (!(Math.abs(Date.now() / 1000 - Number(sentAt)) <= TOLERATED_SECONDS)) return 'Message timestamp too far off';
  const content = Buffer.from(`${id}.${sentAt}.${body}`);
  const own = signatures.split(' ').filter((each) => each.startsWith('v1a,'));
  const isRight = own.some((each) => verify(null, content, key, Buffer.from(each.slice('v1a,'.length), 'base64')));
  return isRight ? undefined : 'No signature matches the public key';
}

export interface Arrival {
  webhookId: string;
  at: Date;
  /** A sentence for each mistake. */
  faults: string[];
  /** Undefined if the body does not fit the schema. */
  payload: TrackingPayload | undefined;
  duplicate: boolean;
  replay: boolean;
}

export type Answer = 200 | 410 | 500 | 'hang';

export interface ReceiverOptions extends Expected {
  cert: string;
  key: string;
  /** Port to listen on. 0 means any free port. */
  port: number;
  answer?: Answer;
  onArrival(arrival: Arrival): void;
}

export interface Receiver {
  port: number;
  url: string;
  expectSignature(other: string): void;
  close(): Promise<void>;
}

/**
 * Starts a customer's endpoint on this machine, with HTTPS. It checks every delivery and answers 401 to a forged one. A
 * body that does not fit the schema is acknowledged, because sending it again would not help. Throws Error if the port,
 * the secret or the key cannot be used.
 */
export async function startReceiver(options: ReceiverOptions): Promise<Receiver> {
  const { cert, key, port: wanted, answer = 200, onArrival, ...expected } = options;
  const { arrivalOf, expectSignature } = arrivals(expected);
  const server = createServer({ cert, key }, async (request, response) => {
    if (request.method !== 'POST') return void response.writeHead(405, { Allow: 'POST' }).end();
    const body = await bodyOf(request).catch(() => undefined);
    if (body === undefined) return void response.writeHead(413, { Connection: 'close' }).end();
    const { isForged, ...arrival } = arrivalOf(request, body);
    onArrival(arrival);
    if (isForged) response.writeHead(401).end();
    else if (answer !== 'hang') response.writeHead(answer).end();
  });
  server.listen(wanted, 'localhost');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : wanted;
  const url = `https://localhost:${port}/tracking`;
  return { port, url, expectSignature, close: () => close(server) };
}

/** Checks deliveries as contracts/guides/webhook.md#a-receiver says. Throws Error for a wrong secret or key. */
function arrivals({ username = '', password, secret, publicKey, schema = trackingSchema }: Expected) {
  const ajv = new Ajv({ allErrors: true });
  addFormats.default(ajv);
  const isPayload = ajv.compile<TrackingPayload>(schema);
  const basic = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  let webhook = secret === undefined ? undefined : new Webhook(secret);
  const key = publicKey === undefined ? undefined : toPublicKey(publicKey);
  const forgery = (headers: IncomingHttpHeaders, body: string): string | undefined => {
    if (password !== undefined && headers.authorization !== basic) return 'wrong Basic credentials';
    return (webhook && signatureFault(webhook, headers, body)) ?? (key && publicKeyFault(key, headers, body));
  };
  const seenIds = new Set<string>();
  const arrivalOf = ({ headers }: IncomingMessage, body: string): Arrival & { isForged: boolean } => {
    const value = parseJson(body);
    const payload = isPayload(value) ? value : undefined;
    const forged = forgery(headers, body);
    const webhookId = String(headers['webhook-id'] ?? '');
    const duplicate = seenIds.has(webhookId);
    if (forged === undefined) seenIds.add(webhookId);
    const faults = [forged, payload ? undefined : ajv.errorsText(isPayload.errors)].filter(
      (fault) => fault !== undefined,
    );
    const replay = headers['malote-replay'] === 'true';
    return { webhookId, at: new Date(), faults, payload, duplicate, replay, isForged: forged !== undefined };
  };
  /** Uses this secret for signatures from now on. Throws Error if it is not a secret. */
  const expectSignature = (other: string): void => {
    webhook = new Webhook(other);
  };
  return { arrivalOf, expectSignature };
}

// Four times the maximum size that the service sends.
const MAX_BODY_LENGTH = MEBIBYTE;

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request) {
    length += chunk.length;
    if (length > MAX_BODY_LENGTH) throw new Error('the body is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

const GRACE_MS = 200;

/** Stops the server. Answers that are under way still go out; after that, hanging requests are cut off. */
async function close(server: Server): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  const cut = setTimeout(() => server.closeAllConnections(), GRACE_MS);
  await closed;
  clearTimeout(cut);
}
