import { promises as dns } from 'node:dns';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect, rootCertificates } from 'node:tls';
import { Redis } from 'ioredis';
import type { Config } from '../../base/config.js';
import { addressRefusal, addressRules, dialledHost, urlRefusal } from '../../outbox/addresses.js';
import { reasonOf } from '../errors.js';
import type { Checks, Seen } from './finding.js';

const PATIENCE_MS = 3_000;

export const machineChecks: Checks<void> = {
  node: async () => {
    const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
    return {
      seen: process.version,
      bad: (major < 20 || (major === 20 && minor < 19)) && 'Malote needs Node.js 20.19 or newer.',
      warn: major < 22 && 'Node.js 20 is no longer supported: 24 is recommended.',
    };
  },

  'name-servers': async () => {
    const resolver = new dns.Resolver({ timeout: 1_000, tries: 2 });
    const error = await resolver.resolveNs('.').then(
      () => undefined,
      (reason: NodeJS.ErrnoException) => reason.code,
    );
    const areThere = error === undefined || error === 'ENOTFOUND' || error === 'ENODATA';
    const seen = areThere ? 'they answer' : `${error} from ${resolver.getServers().join(', ') || 'none'}`;
    return { seen, bad: !areThere && 'No webhook is sent to a name until one answers: see /etc/resolv.conf.' };
  },
};

/** Settings of the service, and everything that it calls besides its database. */
export const surroundingChecks: Checks<Config> = {
  settings: async ({ nodeEnv, databaseUrl, publicUrl }) => {
    const isLocal = /^https?:\/\/(localhost|127\.)/.test(publicUrl);
    return {
      seen: `NODE_ENV=${nodeEnv}, PUBLIC_URL ${publicUrl}, ${databaseUrl ? 'DATABASE_URL' : 'embedded database'}`,
      warn:
        (nodeEnv !== 'production' &&
          databaseUrl &&
          'Set NODE_ENV=production, which refuses what is only good for trying out.') ||
        (nodeEnv === 'production' &&
          isLocal &&
          'Set PUBLIC_URL to the address that clients use: it is the issuer of tokens.'),
    };
  },

  redis: async ({ redisUrl }) => {
    if (redisUrl === undefined) return { seen: 'not configured: each machine counts its limits alone' };
    const client = new Redis(redisUrl, { lazyConnect: true, connectTimeout: PATIENCE_MS, retryStrategy: () => null });
    let loss: Error | undefined;
    client.on('error', (error) => {
      loss ??= error;
    });
    try {
      await client.connect();
      await client.ping();
      return { seen: 'it answers' };
    } catch (error) {
      return {
        seen: reasonOf(loss ?? error),
        bad: 'Each process counts its limits alone until Redis answers: see REDIS_URL.',
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
    const answer = await ask('/readyz').catch(() => undefined);
    if (!answer)
      return { seen: `nothing answers at ${base}`, warn: 'No process runs here, or with another INTERNAL_PORT.' };
    const said = (await answer.text()).trim().replaceAll('\n', '; ');
    const metrics = await ask('/metrics').then((each) => each.text());
    const troubles = [...metrics.matchAll(TROUBLE)].map(([, name]) => name);
    return {
      seen: [said, ...troubles.map((name) => `cannot send webhooks: ${name}`)].join('; '),
      bad: answer.status !== 200 && 'It takes no requests for the reason that it gives.',
      warn: troubles.length > 0 && 'Attempts are not counted meanwhile; docs/doctor.md says what each trouble is.',
    };
  },
};

const TROUBLE = /^malote_webhook_trouble\{[^}]*trouble="(\w+)"[^}]*\} [1-9]/gm;

/** Tries to connect to a receiver as the worker does. */
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
