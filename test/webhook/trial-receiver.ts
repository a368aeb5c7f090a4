import { createHmac, type KeyObject, verify } from 'node:crypto';
import type { TrackedPackage, TrackingPayload } from '../../generated/tracking-webhook.js';
import type { Received } from '../support/receiver.js';

export const login = { username: 'malote', password: 'p4ss: with a colon' };
export const secret = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;
export const oldSecret = `whsec_${Buffer.alloc(32, 6).toString('base64')}`;

/**
 * The parts of a receiver. A test may replace a part by a faulty one. A number is the status to answer; undefined lets
 * the request go on.
 */
export interface Parts {
  isLogin(given: string): boolean;
  isTimely(ageSeconds: number): boolean;
  /** The text whose signature is checked. */
  signedText(body: string): string;
  /** The signatures in the header. */
  signatures(header: string): string[];
  /** True if the signature is right for the text. */
  isRight(signature: string, text: string): boolean;
  isSigned(valid: boolean): boolean;
  refused: number;
  handle(one: TrackedPackage): number | undefined;
  handleAll(packages: readonly TrackedPackage[], received: Received): number | undefined;
  repeated: number;
  outdated: number;
  accepted: number;
}

const basicOf = (username: string, password: string): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;

function symmetric(secret: string, text: string): string {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  return `v1,${createHmac('sha256', key).update(text).digest('base64')}`;
}

/** Checks signatures by public key, for a receiver that knows no secret. */
export const rightBy =
  (publicKey: KeyObject): Parts['isRight'] =>
  (signature, text) =>
    signature.startsWith('v1a,') &&
    verify(null, Buffer.from(text), publicKey, Buffer.from(signature.slice('v1a,'.length), 'base64'));

const soundParts: Parts = {
  isLogin: (given) => given === basicOf(login.username, login.password),
  isTimely: (ageSeconds) => Math.abs(ageSeconds) <= 300,
  signedText: (body) => body,
  signatures: (header) => header.split(' '),
  isRight: (signature, text) => [secret, oldSecret].some((each) => signature === symmetric(each, text)),
  isSigned: (valid) => valid,
  refused: 401,
  handle: () => undefined,
  handleAll: () => undefined,
  repeated: 200,
  outdated: 200,
  accepted: 200,
};

/** The answer of a receiver with these faulty parts. */
export function answering(faultyParts: Partial<Parts>): (received: Received) => number {
  const parts = { ...soundParts, ...faultyParts };
  const seen = new Set<string>();
  const newest = new Map<string, string>();
  const handle = (one: TrackedPackage): number | undefined => {
    if (one.requestTime < (newest.get(one.loggiKey) ?? '')) return parts.outdated;
    newest.set(one.loggiKey, one.requestTime);
    return parts.handle(one);
  };
  return (received) => {
    const { headers, body } = received;
    if (!isGenuine(parts, received)) return parts.refused;
    const id = String(headers['webhook-id']);
    if (seen.has(id)) return parts.repeated;
    seen.add(id);
    const { packages }: TrackingPayload = JSON.parse(body.toString('utf8'));
    const answers = [parts.handleAll(packages, received), ...packages.map(handle)];
    return answers.find((status) => status !== undefined) ?? parts.accepted;
  };
}

function isGenuine(parts: Parts, { headers, body }: Received): boolean {
  const [id, sentAt, given] = ['id', 'timestamp', 'signature'].map((name) => String(headers[`webhook-${name}`]));
  if (!parts.isLogin(headers.authorization ?? '')) return false;
  if (!parts.isTimely(Date.now() / 1000 - Number(sentAt))) return false;
  const text = `${id}.${sentAt}.${parts.signedText(body.toString('utf8'))}`;
  return parts.isSigned(parts.signatures(given ?? '').some((signature) => parts.isRight(signature, text)));
}
