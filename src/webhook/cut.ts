import type { Request } from 'got';

const underWay = new WeakMap<AbortSignal, Set<Request>>();

/**
 * The requests that end when the signal is aborted; whoever adds one takes it out at its end. They share one listener, as
 * an AbortSignal is slow to take one in and to drop it.
 */
export function cutBy(signal: AbortSignal): Set<Request> {
  const known = underWay.get(signal);
  if (known) return known;
  const requests = new Set<Request>();
  underWay.set(signal, requests);
  signal.addEventListener('abort', () => {
    for (const request of requests) request.destroy(new Error('the sender stops'));
  });
  return requests;
}
