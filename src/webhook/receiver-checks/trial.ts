import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { isIP, type LookupFunction } from 'node:net';
import { connect } from 'node:tls';
import { newId } from '../../base/ids.js';
import { dialledHost } from '../../endpoints/addresses.js';
import { isPrivateKey, toPrivateKey } from '../../endpoints/key-pairs.js';
import type { Finding, ReceiverToVerify } from '../../endpoints/verification.js';
import type { TrackingRecord } from '../../packages/tracking.js';
import type { SendKind } from '../../queue/schedule.js';
import { bodyOf } from '../body.js';
import { type OutgoingRequest, type Send, type SendResult, trusting } from '../http-client.js';
import { toRequest } from '../request.js';
import { sampleRecord } from './samples.js';

/** A check of a receiver. It is skipped unless the check named by `needs` has passed. */
export interface Check {
  means: string;
  needs?: string;
  run(trial: Trial): Promise<Finding>;
}

export type Limits = Record<'deadlineMs' | 'connectMs' | 'slowMs' | 'totalMs', number>;

/** The differences of a request from an ordinary delivery. */
export interface Variation {
  body?: Buffer;
  webhookId?: string;
  kind?: SendKind;
  username?: string;
  password?: string;
  /** The secrets or private keys that sign the request. */
  signedBy?: string[];
  ageSeconds?: number;
  change?: (request: OutgoingRequest) => Partial<OutgoingRequest>;
}

export interface Trial {
  receiver: ReceiverToVerify;
  limits: Limits;
  results: SendResult[];
  packages(count: number, other?: Partial<TrackingRecord>): TrackingRecord[];
  send({ body, ...variation }?: Variation): Promise<SendResult>;
  /** Makes one handshake. It accepts a wrong certificate, too. */
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
  /** Makes new sample packages. No earlier request contained them. */
  const packages = (count: number, other?: Partial<TrackingRecord>): TrackingRecord[] =>
    Array.from({ length: count }, () => {
      used += 1;
      return sampleRecord(used, other);
    });
  return {
    receiver,
    limits,
    results,
    packages,
    send: async ({ body = bodyOf(packages(1)).bytes, ...variation }: Variation = {}): Promise<SendResult> => {
      const result = await send(requestOf(receiver, body, variation), signal);
      results.push(result);
      return result;
    },
    handshake: (): Promise<Handshake> => {
      shaken ??= handshake(receiver, lookup, limits.connectMs);
      return shaken;
    },
  };
}

function requestOf(
  { url, ...receiver }: ReceiverToVerify,
  body: Buffer,
  variation: Omit<Variation, 'body'>,
): OutgoingRequest {
  const { username = receiver.username, password = receiver.password, webhookId = newId() } = variation;
  const { kind = 'delivery', signedBy = keysOf(receiver), ageSeconds = 0, change } = variation;
  const sentAt = new Date(Date.now() - 1000 * ageSeconds);
  const delivery = { claim: { endpoint: { url, username } }, kind, webhookId, body };
  const privateKeys = signedBy.filter(isPrivateKey).map(toPrivateKey);
  const signingSecrets = signedBy.filter((each) => !isPrivateKey(each));
  const request = toRequest(delivery, { password, signingSecrets, privateKeys }, sentAt);
  return { ...request, ...change?.(request) };
}

/** The secrets that sign for an endpoint. During a rotation these are two. */
export const keysOf = ({ secret, oldSecret }: Pick<ReceiverToVerify, 'secret' | 'oldSecret'>): string[] =>
  oldSecret === undefined ? [secret] : [secret, oldSecret];

export const withoutHeader =
  (name: string): NonNullable<Variation['change']> =>
  ({ headers }) => ({ headers: Object.fromEntries(Object.entries(headers).filter(([each]) => each !== name)) });

export const randomText = (bytes: number): string => randomBytes(bytes).toString('base64');

export interface Handshake {
  protocol: string;
  fault: string | undefined;
  validTo: Date;
}

/** Completes a handshake with any protocol and certificate, to learn why the worker would refuse it. */
async function handshake(
  { url, extraCa }: Pick<ReceiverToVerify, 'url' | 'extraCa'>,
  lookup: LookupFunction,
  withinMs: number,
): Promise<Handshake> {
  const address = new URL(url);
  const host = dialledHost(address);
  const secureContext = trusting(extraCa, { minVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0' });
  const lenient = { secureContext, rejectUnauthorized: false };
  const name = isIP(host) === 0 ? { servername: host } : {};
  const socket = connect({ host, port: Number(address.port || 443), lookup, ...name, ...lenient });
  socket.on('error', () => undefined);
  try {
    await once(socket, 'secureConnect', { signal: AbortSignal.timeout(withinMs) });
  } catch (error) {
    socket.destroy();
    throw error;
  }
  const fault = socket.authorized ? undefined : String(socket.authorizationError);
  const validTo = new Date(socket.getPeerX509Certificate()?.validTo ?? 0);
  const protocol = socket.getProtocol() ?? 'unknown';
  socket.destroySoon();
  return { protocol, fault, validTo };
}
