import type { RequestHandler } from 'express';
import ipaddr from 'ipaddr.js';
import type { Logger } from 'pino';

const HEADER = 'x-forwarded-for';
// IPv4 with a port, or IPv6 in brackets with or without one; RFC 7239 allows quotes around both.
const WITH_PORT = /^"?(?:(\d{1,3}(?:\.\d{1,3}){3}):\d{1,5}|\[([^\]]{2,45})\](?::\d{1,5})?)"?$/;

/** The address that an entry names, without a port; undefined when it names none. */
function addressOf(entry: string): string | undefined {
  const text = entry.trim();
  const parts = WITH_PORT.exec(text);
  const address = parts?.[1] ?? parts?.[2] ?? text;
  return ipaddr.IPv4.isValidFourPartDecimal(address) || ipaddr.IPv6.isValid(address) ? address : undefined;
}

/** The entries that can be believed: from the nearest proxy back to the last one before something that is no address. */
function readable(value: string): string[] {
  const addresses = value.split(',').map(addressOf);
  return addresses.slice(addresses.lastIndexOf(undefined) + 1).flatMap((address) => address ?? []);
}

/**
 * Leaves only addresses in `X-Forwarded-For`, so that whoever is counted by his address is counted by nothing else. Where no
 * proxy is trusted, the first request that comes through one is warned of: all its clients share one budget.
 */
export function forwardedAddresses({ trusted, log }: { trusted: boolean; log: Logger }): RequestHandler {
  let isWarned = false;
  return (req, _res, next) => {
    const value = req.headers[HEADER];
    if (typeof value === 'string' && trusted) req.headers[HEADER] = readable(value).join(', ');
    if (value !== undefined && !trusted && !isWarned) {
      isWarned = true;
      log.warn('requests come through a proxy, and all of its clients count as one: TRUST_PROXY says whom to believe');
    }
    next();
  };
}
