import { randomBytes } from 'node:crypto';
import type { LookupFunction } from 'node:net';
import { newId } from '../../base/ids.js';
import { isPrivateKey, toPrivateKey } from '../../outbox/key-pairs.js';
import type { SendKind } from '../../outbox/schedule.js';
import type { Finding, ReceiverToVerify } from '../../outbox/verification.js';
import type { TrackingRecord } from '../../packages/tracking.js';
import { bodyOf } from '../body.js';
import type { OutgoingRequest, Send, SendResult } from '../http-client.js';
import { toRequest } from '../request.js';
import { type Handshake, handshake } from './handshake.js';
import { sampleRecord } from './samples.js';

/** One check of a receiver; it is not tried unless the one that it `needs` has passed. */
export interface Check {
  means: string;
  needs?: string;
  run(trial: Trial): Promise<Finding>;
}

export interface Limits {
  /** For one request, and for connecting. */
  deadlineMs: number;
  connectMs: number;
  /** An answer that takes longer is warned of. */
  slowMs: number;
  /** No check begins later. */
  totalMs: number;
}

/** How a request differs from an ordinary delivery. */
export interface Variation {
  body?: Buffer;
  webhookId?: string;
  kind?: SendKind;
  username?: string;
  password?: string;
  /** Secrets, or private keys, whose signatures it carries. */
  signedBy?: string[];
  ageSeconds?: number;
  /** What is changed after it was signed. */
  change?: (request: OutgoingRequest) => Partial<OutgoingRequest>;
}

/** A receiver while it is tried. */
export interface Trial {
  readonly receiver: ReceiverToVerify;
  readonly limits: Limits;
  /** What came of the requests so far. */
  readonly results: readonly SendResult[];
  /** Packages that no earlier request was about. */
  packages(count: number, other?: Partial<TrackingRecord>): TrackingRecord[];
  send(variation?: Variation): Promise<SendResult>;
  /** One handshake, whose certificate may be a wrong one. */
  handshake(): Promise<Handshake>;
}

export interface Way {
  send: Send;
  lookup: LookupFunction;
}

export function createTrial(receiver: ReceiverToVerify, { send, lookup }: Way, limits: Limits): Trial {
  const results: SendResult[] = [];
  const { signal } = new AbortController();
  let used = 0;
  let shaken: Promise<Handshake> | undefined;
  const trial: Trial = {
    receiver,
    limits,
    results,
    packages: (count, other) =>
      Array.from({ length: count }, () => {
        used += 1;
        return sampleRecord(used, other);
      }),
    send: async ({ body = bodyOf(trial.packages(1)).bytes, ...variation } = {}) => {
      const result = await send(requestOf(receiver, body, variation), signal);
      results.push(result);
      return result;
    },
    handshake: () => {
      shaken ??= handshake(receiver, lookup, limits.connectMs);
      return shaken;
    },
  };
  return trial;
}

/** As the worker makes it of a delivery. */
function requestOf(
  { url, ...receiver }: ReceiverToVerify,
  body: Buffer,
  variation: Omit<Variation, 'body'>,
): OutgoingRequest {
  const { username = receiver.username, password = receiver.password, webhookId = newId() } = variation;
  const { kind = 'delivery', signedBy = [receiver.secret], ageSeconds = 0, change } = variation;
  const sentAt = new Date(Date.now() - 1000 * ageSeconds);
  const delivery = { claim: { endpoint: { url, username } }, kind, webhookId, body };
  const privateKeys = signedBy.filter(isPrivateKey).map(toPrivateKey);
  const signingSecrets = signedBy.filter((each) => !isPrivateKey(each));
  const request = toRequest(delivery, { password, signingSecrets, privateKeys }, sentAt);
  return { ...request, ...change?.(request) };
}

export const withoutHeader =
  (name: string): NonNullable<Variation['change']> =>
  ({ headers }) => ({ headers: Object.fromEntries(Object.entries(headers).filter(([each]) => each !== name)) });

export const randomText = (bytes: number): string => randomBytes(bytes).toString('base64');
