import { lineOf } from '../../src/operator/cli/listen/arrivals.js';
import type { Certificate } from '../../src/operator/cli/listen/certificate.js';
import { type Arrival, startReceiver as listen } from '../../src/operator/cli/listen/receiver.js';

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
export async function startReceiver({ certificate, ...options }: ReceiverOptions): Promise<Receiver> {
  const arrived = new Map<string, number[]>();
  const faults: string[] = [];

  function onArrival({ webhookId, faults: found, payload, duplicate }: Arrival): void {
    faults.push(...found.map((fault) => `${webhookId}: ${fault}`));
    if (duplicate) return;
    for (const tracked of payload?.packages ?? []) {
      arrived.set(tracked.loggiKey, [...(arrived.get(tracked.loggiKey) ?? []), tracked.status.code]);
      console.log(`  ${lineOf(tracked)}: valid against the schema`);
    }
  }

  const { url, expectSignature, close } = await listen({ ...options, ...certificate, onArrival });
  return { url, arrived, faults, expectSignature, close };
}
