import { promises as dns, type LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import CacheableLookup, { type Options } from 'cacheable-lookup';
import { LRUCache } from 'lru-cache';
import { type AddressRules, addressRefusal } from '../endpoints/addresses.js';

/** The address of the receiver is one that no webhook may go to. */
class RefusedAddressError extends Error {
  override name = 'RefusedAddressError';
  readonly code = 'ERR_REFUSED_ADDRESS';
}

export interface Names {
  lookup: LookupFunction;
  answer(since: number): Promise<boolean>;
  answerFor(host: string): Promise<boolean>;
  haveAnswered(): boolean;
}

const MAX_TTL_SECONDS = 60;
// A short timeout, so that the time for connecting is enough to ask another name server.
const patience = { timeout: 1_000, tries: 2 };

/**
 * Resolves names for the connections themselves, so that the checked address is the address that is used. It asks the
 * name servers directly: the system's resolver has four threads, and four names of a dead server would block them.
 */
export function createNames(rules: AddressRules, given: Options & { resolver?: dns.Resolver } = {}): Names {
  const { resolver = new dns.Resolver(patience), ...options } = given;
  const cache = new CacheableLookup({ maxTtl: MAX_TTL_SECONDS, resolver, ...options });
  const servers = nameServers(resolver);
  const addressesOf = async (host: string): Promise<readonly LookupAddress[]> => {
    if (isLocal(host)) return dns.lookup(host, { all: true });
    const addresses = await cache.lookupAsync(host, { all: true });
    if (addresses.some(({ source }) => source === 'query')) servers.answered(host);
    return addresses;
  };
  const lookup: LookupFunction = (host, { all, family }, callback) => {
    addressesOf(host)
      .then((addresses) => checkedAddresses(rules, host, addresses, family))
      .then(
        ([first, ...others]) =>
          all ? callback(null, [first, ...others]) : callback(null, first.address, first.family),
        (error: Error) => callback(error, []),
      );
  };
  const { answer, answerFor, haveAnswered } = servers;
  return { lookup, answer, answerFor, haveAnswered };
}

const MAX_TRIAL_MS = 2_000;
const MAX_REMEMBERED = 2;

/** Finds out whether name servers answer: asks for names that they knew lately, and for the root, which all know. */
function nameServers(resolver: dns.Resolver) {
  const lately = new LRUCache<string, true>({ max: MAX_REMEMBERED });
  let answeredAt = Number.NEGATIVE_INFINITY;
  let silentAt = Number.NEGATIVE_INFINITY;
  let trial: Promise<boolean> | undefined;

  const isAnswered = async (...questions: Promise<unknown>[]): Promise<boolean> => {
    const answers = questions.map((question) => question.catch(demandAnswer).then(() => true));
    return Promise.race([Promise.any(answers).catch(() => false), sleep(MAX_TRIAL_MS, false, { ref: false })]);
  };

  const ask = async (): Promise<boolean> => {
    const names = [...lately.keys()].map((host) => resolver.resolve4(host));
    const areThere = await isAnswered(resolver.resolveNs('.'), ...names);
    if (areThere) answeredAt = performance.now();
    else silentAt = performance.now();
    trial = undefined;
    return areThere;
  };

  return {
    answered: (host: string): void => {
      lately.set(host, true);
      answeredAt = performance.now();
    },
    haveAnswered: () => answeredAt > 0,
    answerFor: (host: string) => isAnswered(resolver.resolve4(host)),
    /** True if name servers have answered since `since` (on the clock of performance.now()), or answer now. */
    answer: async (since: number): Promise<boolean> => {
      if (silentAt >= since) return false;
      if (answeredAt >= since) return true;
      trial ??= ask();
      return trial;
    },
  };
}

/** Throws unless the error is an answer. To say that a name does not exist is also an answer. */
function demandAnswer(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOTFOUND' && error.code !== 'ENODATA') throw error;
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

/** True for names of this machine, which name servers do not know. */
const isLocal = (host: string): boolean => /(^|\.)localhost$/i.test(host);
