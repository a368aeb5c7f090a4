import type { Secrets } from '../deliveries/secrets.js';
import type { OutgoingRequest } from './request.js';
import type { Sent } from './sender.js';

// Anything shorter stands in many answers by chance, and what hides it would give it away.
const SHORTEST = 6;

/** An answer is kept and shown: one that repeats its request, as some receivers do, must not bring the credentials along. */
export function withoutCredentials(sent: Sent, { headers }: OutgoingRequest, { password }: Secrets): Sent {
  const { outcome } = sent;
  if (outcome.kind !== 'answered') return sent;
  const basic = headers['authorization']?.slice('Basic '.length) ?? '';
  const body = [basic, password]
    .filter(({ length }) => length >= SHORTEST)
    .reduce((text, secret) => text.replaceAll(secret, '***'), outcome.body);
  return { ...sent, outcome: { ...outcome, body } };
}
