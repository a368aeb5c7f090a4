import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { Webhook } from 'standardwebhooks';
import type { TrackingPayload } from '../../generated/tracking-webhook.js';
import type { Certificate } from './certificate.js';

export interface Receiver {
  url: string;
  /** The status codes that arrived for each package, in order of arrival. */
  arrived: Map<string, number[]>;
  /** What was wrong with the requests received; empty when all is well. */
  faults: string[];
  /** Checks signatures with this secret from now on. */
  expectSignature(secret: string): void;
  close(): Promise<void>;
}

export interface ReceiverOptions {
  certificate: Certificate;
  port: number;
  username: string;
  password: string;
  /** The published JSON Schema of the payload. */
  schema: object;
}

/** A customer's endpoint: HTTPS, Basic authentication, signature, schema; prints a line for each package of a payload. */
export async function startReceiver(options: ReceiverOptions): Promise<Receiver> {
  const ajv = new Ajv({ allErrors: true });
  addFormats.default(ajv);
  const isPayload = ajv.compile<TrackingPayload>(options.schema);
  const basic = `Basic ${Buffer.from(`${options.username}:${options.password}`).toString('base64')}`;
  const arrived = new Map<string, number[]>();
  const seen = new Set<string>();
  const faults: string[] = [];
  let webhook: Webhook | undefined;

  const server = createServer({ cert: options.certificate.cert, key: options.certificate.key }, async (req, res) => {
    const body = await text(req);
    const id = String(req.headers['webhook-id']);
    if (req.headers.authorization !== basic) {
      faults.push(`${id}: wrong Basic credentials`);
      return void res.writeHead(401).end();
    }
    const payload = verified(id, body, req.headers);
    if (payload && !seen.has(id)) record(payload);
    seen.add(id);
    res.writeHead(200).end();
  });

  function verified(id: string, body: string, headers: NodeJS.Dict<string | string[]>): TrackingPayload | undefined {
    try {
      webhook?.verify(body, {
        'webhook-id': id,
        'webhook-timestamp': String(headers['webhook-timestamp']),
        'webhook-signature': String(headers['webhook-signature']),
      });
    } catch (error) {
      faults.push(`${id}: ${error instanceof Error ? error.message : 'signature'}`);
    }
    const payload: unknown = JSON.parse(body);
    if (isPayload(payload)) return payload;
    faults.push(`${id}: ${ajv.errorsText(isPayload.errors)}`);
    return undefined;
  }

  function record(payload: TrackingPayload): void {
    for (const { loggiKey, trackingCode, status, location, trackingHistory } of payload.packages) {
      arrived.set(loggiKey, [...(arrived.get(loggiKey) ?? []), status.code]);
      const extra = status.actionRequired?.reasonLabel ?? status.pickupAgency?.address;
      const note = extra ? ` [${extra}]` : '';
      const place = `${location.city}/${location.state}`;
      console.log(
        `  ${trackingCode}  ${String(status.code).padStart(2)} ${status.highLevelStatus}${note}, ${place}, ${trackingHistory.length} earlier: valid against the schema`,
      );
    }
  }

  const port = await listen(server, options.port);
  return {
    url: `https://localhost:${port}/tracking`,
    arrived,
    faults,
    expectSignature: (secret) => {
      webhook = new Webhook(secret);
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function listen(server: Server, port: number): Promise<number> {
  server.listen(port, 'localhost');
  await once(server, 'listening');
  const address: AddressInfo | string | null = server.address();
  return typeof address === 'object' && address ? address.port : port;
}
