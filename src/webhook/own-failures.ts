import { createSocket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import { performance } from 'node:perf_hooks';
import { LRUCache } from 'lru-cache';
import type { Names } from './lookup.js';

/** Reasons of this machine that keep requests from leaving. `secrets` concerns only one endpoint. */
export const ownFailureTexts = {
  names: 'no name server answers',
  network: 'there is no way to the network',
  resources: 'this machine has run out of ports, files or memory for connections',
  clock: "this machine's clock is wrong, so that no certificate is valid",
  keys: 'ENCRYPTION_KEYS does not open the secrets of webhook endpoints',
  secrets: 'the secrets of an endpoint are damaged',
  deliveries: 'no delivery can be made',
} as const;

export type OwnFailureKind = keyof typeof ownFailureTexts;

/** A failure that says nothing about the receiver, so it does not count as an attempt. */
export interface OwnFailure {
  kind: OwnFailureKind;
  detail: string;
}

/** An attempt without an answer. `startedAt` is on the clock of performance.now(). */
export interface WithoutAnswer {
  host: string;
  error: Error;
  startedAt: number;
}

const EXHAUSTED = new Set(['EMFILE', 'ENFILE', 'ENOBUFS', 'ENOMEM', 'EAGAIN']);
const NO_ROUTE = new Set(['ENETUNREACH', 'ENETDOWN', 'EADDRNOTAVAIL']);
const SILENCE = new Set([...NO_ROUTE, 'ETIMEDOUT', 'EHOSTUNREACH', 'EHOSTDOWN']);
const OUT_OF_TIME = new Set(['CERT_NOT_YET_VALID', 'CERT_HAS_EXPIRED']);
const CLOCK_OFF_MS = 300_000;

/**
 * Finds out whether a missing answer is this machine's own failure. A name without an answer is, unless name servers
 * answer for other names but not for this one. An unreachable address is, if addresses have no route any more, or if
 * the name servers stopped answering.
 */
export async function ownFailureOf(
  { names, routes }: { names: Pick<Names, 'answer' | 'answerFor' | 'haveAnswered'>; routes: Pick<Routes, 'look'> },
  { host, error, startedAt }: WithoutAnswer,
  clockOffMs: number,
): Promise<OwnFailure | undefined> {
  const causes = causesOf(error);
  const codes = causes.map(({ code = '' }) => code);
  const areAll = (set: ReadonlySet<string>) => codes.length > 0 && codes.every((code) => set.has(code));
  const is = (kind: OwnFailureKind): OwnFailure => ({ kind, detail: [...new Set(codes)].join() });
  if (causes.some(isOfLookup)) {
    const isOfThisName = (await names.answer(startedAt)) && !(await names.answerFor(host));
    return isOfThisName ? undefined : is('names');
  }
  if (areAll(EXHAUSTED) || causes.some(isOutOfPorts)) return is('resources');
  if (areAll(OUT_OF_TIME)) return Math.abs(clockOffMs) > CLOCK_OFF_MS ? is('clock') : undefined;
  if (!areAll(SILENCE)) return undefined;
  const ways = await routes.look();
  if (ways === 'lost' || (ways === 'none' && areAll(NO_ROUTE))) return is('network');
  return names.haveAnswered() && !(await names.answer(startedAt)) ? is('network') : undefined;
}

/** An error of a request. `event` is the step that took too long. */
type Cause = NodeJS.ErrnoException & { address?: string; event?: string };

/** The errors of a request, one per address of the name. */
const causesOf = (error: Error): Cause[] => (error instanceof AggregateError ? error.errors : [error]);

// An error for a missing name has no system call, so it does not match: it is an answer.
const isOfLookup = ({ syscall = '', event }: Cause): boolean =>
  event === 'lookup' || /^(query|getaddrinfo)/.test(syscall);

/** True if the machine has no free port. With IPv6 the same code means that the machine has no IPv6 address at all. */
const isOutOfPorts = ({ code, address = '' }: Cause): boolean => code === 'EADDRNOTAVAIL' && !isIPv6(address);

interface Routes {
  reached(address: string): void;
  /** Looks for a route to each known address. `none` if no outside address is known yet. */
  look(): Promise<'kept' | 'lost' | 'none'>;
}

// Root name servers. Nothing is sent to them; the system only looks up the route.
const publicAddresses = ['198.41.0.4', '2001:503:ba3e::2:30'];
const MAX_REMEMBERED = 8;
const LOOK_AGAIN_MS = 60_000;
const LOOPBACK = /^(::ffff:)?127\.|^::1$/;

export function createRoutes(hasRoute: (address: string) => Promise<boolean> = findRoute): Routes {
  const reachedAddresses = new LRUCache<string, true>({ max: MAX_REMEMBERED });
  const publicOnes = new Set<string>();
  let lookedAt = Number.NEGATIVE_INFINITY;

  const lookForPublic = async (): Promise<void> => {
    if (performance.now() - lookedAt < LOOK_AGAIN_MS) return;
    lookedAt = performance.now();
    for (const address of publicAddresses) if (await hasRoute(address)) publicOnes.add(address);
  };

  return {
    reached: (address: string): void => {
      if (!LOOPBACK.test(address)) reachedAddresses.set(address, true);
      void lookForPublic();
    },
    look: async (): Promise<'kept' | 'lost' | 'none'> => {
      const ways = await Promise.all([...publicOnes, ...reachedAddresses.keys()].map(hasRoute));
      if (ways.length === 0) return 'none';
      return ways.includes(false) ? 'lost' : 'kept';
    },
  };
}

/** Looks for a route by connecting a UDP socket, which sends nothing. */
function findRoute(address: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createSocket(isIPv6(address) ? 'udp6' : 'udp4');
    const end = (isFound: boolean) => {
      socket.removeAllListeners();
      socket.close();
      resolve(isFound);
    };
    socket.once('error', () => end(false));
    socket.once('connect', () => end(true));
    socket.connect(53, address);
  });
}
