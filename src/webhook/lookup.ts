import { promises as dns, type LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import CacheableLookup, { type Options } from 'cacheable-lookup';
import { type AddressRules, addressRefusal } from '../deliveries/addresses.js';

/** No webhook may go to the receiver's address. */
class RefusedAddressError extends Error {
  override name = 'RefusedAddressError';
  readonly code = 'ERR_REFUSED_ADDRESS';
}

const LONGEST_TTL_SECONDS = 60;

/**
 * Resolves names for the connections themselves, so that what is checked is what is dialled: a name that leads outside now and
 * to the inner network a moment later is refused then. One refused address among several refuses the name. It asks the name
 * servers itself: the system's resolver has four threads, which four names of a dead server would block.
 */
export function checkedLookup(rules: AddressRules, options: Options = {}): LookupFunction {
  const cache = new CacheableLookup({ maxTtl: LONGEST_TTL_SECONDS, ...options });
  return (host, { all, family }, callback) => {
    const entries = isLocal(host) ? dns.lookup(host, { all: true }) : cache.lookupAsync(host, { all: true });
    entries
      .then((addresses) => checkedAddresses(rules, host, addresses, family))
      .then(
        ([first, ...others]) =>
          all ? callback(null, [first, ...others]) : callback(null, first.address, first.family),
        (error: Error) => callback(error, []),
      );
  };
}

function checkedAddresses(
  rules: AddressRules,
  host: string,
  entries: readonly LookupAddress[],
  family: unknown,
): [LookupAddress, ...LookupAddress[]] {
  const refusal = entries.map(({ address }) => addressRefusal(rules, address)).find((reason) => reason !== undefined);
  if (refusal !== undefined) throw new RefusedAddressError(`${host}: ${refusal}`);
  const [first, ...others] = entries.filter((entry) => family === undefined || family === 0 || entry.family === family);
  if (!first) throw new RefusedAddressError(`${host} has no address`);
  return [first, ...others];
}

/** Names of this machine are unknown to name servers. */
const isLocal = (host: string): boolean => /(^|\.)localhost$/i.test(host);
