import express, { type Express } from 'express';
import type { Registry } from 'prom-client';

export interface Probes {
  /** Whether requests should be sent here: the database answers and no stop has been asked for. */
  ready: () => Promise<boolean>;
  metrics: Registry;
}

/** The internal listener's application: `/livez`, `/readyz`, `/metrics`; never counted, never published. */
export function probesApp({ ready, metrics }: Probes): Express {
  const app = express();
  app.disable('x-powered-by');
  app.use((_req, res, next) => {
    res.setHeader('X-Content-Type-Options', 'nosniff');
    next();
  });
  app.get('/livez', (_req, res) => void res.type('text').send('ok\n'));
  app.get('/readyz', async (_req, res) => {
    const isReady = await ready().catch(() => false);
    res
      .status(isReady ? 200 : 503)
      .type('text')
      .send(isReady ? 'ready\n' : 'not ready\n');
  });
  app.get('/metrics', async (_req, res) => void res.type(metrics.contentType).send(await metrics.metrics()));
  return app;
}
