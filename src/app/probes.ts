import type { Registry } from 'prom-client';
import { type Probes as Answers, probesApp } from '../http/server/express-app.js';
import { listen } from '../http/server/listen.js';
import type { Context } from './context.js';

/** The internal listener and the sources of its answers. */
export interface Probes {
  probes: Answers & { metrics: Registry };
  internalUrl: string;
}

/** Listens before the database answers, and until everything else has ended; a supervisor does so for its processes. */
export async function start({ config, overrides, registry, readiness, running }: Context): Promise<Probes> {
  const probes = { metrics: registry, obstacles: readiness.obstacles };
  if (overrides.supervised) return { probes, internalUrl: overrides.supervised.internalUrl };
  const { internalPort: port, internalHost: host } = config;
  const { url, stop } = await listen(probesApp(probes), { port, host, shutdownSeconds: 0 });
  running.add(stop);
  return { probes, internalUrl: url };
}
