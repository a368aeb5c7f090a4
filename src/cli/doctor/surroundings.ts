import { promises as dns } from 'node:dns';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, rootCertificates } from 'node:tls';
import { Redis } from 'ioredis';
import type { Config } from '../../base/config.js';
import { commit, nodeRefusal, version } from '../../base/version.js';
import { addressRefusal, addressRules, dialledHost, urlRefusal } from '../../endpoints/addresses.js';
import { reasonOf } from '../errors.js';
import { type Checks, runbook, type Seen } from './finding.js';

const PATIENCE_MS = 3_000;

export const machineChecks: Checks<void> = {
  node: async () => ({ seen: process.version, bad: nodeRefusal(process.versions.node) }),

  'name-servers': async () => {
    const resolver = new dns.Resolver({ timeout: 1_000, tries: 2 });
    const error = await resolver.resolveNs('.').then(
      () => undefined,
      (reason: NodeJS.ErrnoException) => reason.code,
    );
    const areThere = error === undefined || error === 'ENOTFOUND' || error === 'ENODATA';
    const seen = areThere ? 'they answer' : `${error} from ${resolver.getServers().join(', ') || 'none'}`;
    return {
      seen,
      bad:
        !areThere &&
        `No webhook is sent to a name until one answers: see /etc/resolv.conf (${runbook('own-webhook-failures')}).`,
    };
  },
};

/** Checks the settings of the service, and everything that it calls except its database. */
export const surroundingChecks: Checks<Config> = {
  settings: async ({ nodeEnv, databaseUrl, publicUrl }) => {
    const isLocal = /^https?:\/\/(localhost|127\.)/.test(publicUrl);
    return {
      seen: `NODE_ENV=${nodeEnv}, PUBLIC_URL ${publicUrl}, ${databaseUrl ? 'DATABASE_URL' : 'embedded database'}`,
      warn:
        (nodeEnv !== 'production' && databaseUrl && 'Set NODE_ENV=production, which refuses settings for trials.') ||
        (nodeEnv === 'production' &&
          isLocal &&
          'Set PUBLIC_URL to the address that clients use: it is the issuer of tokens.'),
    };
  },

  redis: async ({ redisUrl, rateLimitAccountPerHour }) => {
    if (redisUrl === undefined) return { seen: 'not configured: each machine counts its limits alone' };
    const client = new Redis(redisUrl, { lazyConnect: true, connectTimeout: PATIENCE_MS, retryStrategy: () => null });
    let loss: Error | undefined;
    client.on('error', (error) => {
      loss ??= error;
    });
    try {
      await client.connect();
      await client.ping();
      const beyond = rateLimitAccountPerHour > 0 ? await accountsBeyond(client, rateLimitAccountPerHour) : [];
      return {
        seen: ['it answers', ...beyond.map((id) => `account or key ${id} goes on beyond its budget`)].join('; '),
        warn: beyond.length > 0 && `Others are served; its requests are refused (${runbook('account-refused')}).`,
      };
    } catch (error) {
      return {
        seen: reasonOf(loss ?? error),
        bad: `Each process counts its limits alone until Redis answers (${runbook('redis-fallback')}).`,
      };
    } finally {
      client.disconnect();
    }
  },

  planning: async ({ geocoderUrl, osrmUrl, vroomUrl }) => {
    const urls = Object.entries({ GEOCODER_URL: geocoderUrl, OSRM_URL: osrmUrl, VROOM_URL: vroomUrl });
    const silent = await Promise.all(
      urls.map(async ([name, url]) => {
        if (url === undefined) return [];
        const signal = AbortSignal.timeout(PATIENCE_MS);
        return fetch(url, { signal }).then(
          () => [],
          (error: unknown) => [`${name} (${reasonOf(error)})`],
        );
      }),
    );
    const names = silent.flat();
    const count = urls.filter(([, url]) => url !== undefined).length;
    return {
      seen: names.length > 0 ? `silent: ${names.join(', ')}` : `${count} configured, all answer`,
      warn:
        names.length > 0 &&
        'Orders are planned by the embedded parts meanwhile: start the service, or take out its setting.',
    };
  },

  service: async ({ internalHost, internalPort }) => {
    const host = internalHost === '0.0.0.0' ? '127.0.0.1' : internalHost;
    const base = `http://${host.includes(':') ? `[${host}]` : host}:${internalPort}`;
    const ask = (path: string) => fetch(`${base}${path}`, { signal: AbortSignal.timeout(PATIENCE_MS) });
    const answer = await ask('/readyz').catch(reasonOf);
    if (answer === 'ECONNREFUSED')
      return {
        seen: `nothing answers at ${base}`,
        warn: `No process runs here, or with another INTERNAL_PORT (${runbook('process-down')}).`,
      };
    if (typeof answer === 'string')
      return { seen: `a process hangs at ${base}: ${answer}`, bad: `Have it replaced (${runbook('process-hung')}).` };
    const said = (await answer.text()).trim().replaceAll('\n', '; ');
    const metrics = await ask('/metrics').then((each) => each.text());
    const troubles = [...metrics.matchAll(TROUBLE)].map(([, name]) => name);
    const [, itsVersion = version, itsCommit = commit] = BUILD.exec(metrics) ?? [];
    const isOther = itsVersion !== version || itsCommit !== commit;
    return {
      seen: [
        said,
        ...troubles.map((name) => `cannot send webhooks: ${name}`),
        ...(isOther
          ? [`another version than this command: ${itsVersion} (${itsCommit}), not ${version} (${commit})`]
          : []),
      ].join('; '),
      bad: answer.status !== 200 && `It takes no requests for the reason that it gives (${runbook('not-ready')}).`,
      warn:
        (troubles.length > 0 && `Attempts are not counted meanwhile (${runbook('own-webhook-failures')}).`) ||
        (isOther && `Restart the process that is older (${runbook('old-binary')}).`),
    };
  },
};

const TROUBLE = /^malote_webhook_trouble\{[^}]*trouble="(\w+)"[^}]*\} [1-9]/gm;
const BUILD = /^malote_build_info\{version="([^"]+)",commit="([^"]+)"/m;

const MAX_COUNTERS = 20_000;
const SECOND_LOOK_MS = 1_000;

/** Accounts and keys whose counters are above the budget and still rise after a second. */
async function accountsBeyond(redis: Redis, perHour: number): Promise<string[]> {
  const keys: string[] = [];
  const prefix = 'malote:limit:account:';
  for await (const some of redis.scanStream({ match: `${prefix}*`, count: 1_000 })) {
    keys.push(...some);
    if (keys.length >= MAX_COUNTERS) break;
  }
  const countsOf = async (names: readonly string[]) =>
    names.length === 0 ? [] : (await redis.mget(...names)).map((count) => Number(count));
  const counts = await countsOf(keys);
  const beyond = keys.filter((_key, place) => (counts[place] ?? 0) > perHour);
  const before = await countsOf(beyond);
  if (beyond.length > 0) await sleep(SECOND_LOOK_MS);
  const after = await countsOf(beyond);
  return beyond
    .filter((_key, place) => (after[place] ?? 0) > (before[place] ?? 0))
    .map((key) => key.slice(prefix.length));
}

/** Checks whether the worker could connect to a receiver. */
export const receiverCheck = (url: string): Checks<Config> => ({
  receiver: async ({ webhookAllowCidrs, webhookPorts, webhookExtraCa }): Promise<Seen> => {
    const rules = addressRules(webhookAllowCidrs, webhookPorts);
    const refusal = urlRefusal(rules, url);
    if (refusal !== undefined) return { seen: `the URL ${refusal}`, bad: 'No endpoint may have this address.' };
    const { port } = new URL(url);
    const host = dialledHost(new URL(url));
    const addresses = await dns.lookup(host, { all: true }).catch((error: unknown) => reasonOf(error));
    if (typeof addresses === 'string') return { seen: `${host}: ${addresses}`, bad: 'Its name does not resolve here.' };
    const inner = addresses.flatMap(({ address }) => addressRefusal(rules, address) ?? []);
    if (inner[0] !== undefined)
      return { seen: inner[0], bad: 'WEBHOOK_ALLOW_CIDRS says which private networks may be reached.' };
    return handshake(host, Number(port || 443), webhookExtraCa);
  },
});

async function handshake(host: string, port: number, extraCa: string | undefined): Promise<Seen> {
  const ca = extraCa === undefined ? {} : { ca: [...rootCertificates, await readFile(extraCa, 'utf8')] };
  const socket = connect({ host, port, servername: host, timeout: PATIENCE_MS, ...ca });
  const tooLate = once(socket, 'timeout').then(() => {
    throw new Error('no answer in time');
  });
  try {
    await Promise.race([once(socket, 'secureConnect'), tooLate]);
    return { seen: `${host}:${port} has a valid certificate` };
  } catch (error) {
    return { seen: `${host}:${port}: ${reasonOf(error)}`, bad: 'Requests to it fail in the same way.' };
  } finally {
    tooLate.catch(() => undefined);
    socket.destroy();
  }
}
