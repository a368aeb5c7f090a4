import type { Express } from 'express';
import { accountOfRecord, recordAudit } from '../accounts/audit.js';
import { operatorAuthentication } from '../accounts/operator-key-check.js';
import { factorDemand } from '../accounts/sessions/second-factor.js';
import { createSessions } from '../accounts/sessions/sessions.js';
import { graphqlRouter } from '../graphql/index.js';
import { type Bulkhead, createBulkhead } from '../http/bulkhead.js';
import { errorHandler, unknownPath } from '../http/errors.js';
import { createLimits, operatorLimits, type StoreFor, WINDOW_MS } from '../http/limits/rate-limit.js';
import { expressApp } from '../http/server/express-app.js';
import { listen } from '../http/server/http-server.js';
import { noteOperation } from '../http/server/request-log.js';
import { operatorRouter, spec as operatorSpec } from '../operator/index.js';
import { createPlacing, type Placing } from '../orders/place-order.js';
import { createRecording, type Recording } from '../orders/record-together.js';
import { type CodeSource, createCodeSource } from '../packages/codes.js';
import { createTrackingLinks, type TrackingLinks } from '../packages/tracking-links.js';
import { pagesRouter } from '../pages/index.js';
import { createTrackingFeed, type TrackingFeed } from '../pages/tracking/feed.js';
import { docsRouter } from '../published/documents.js';
import { errorForms, restRouter, spec as restSpec } from '../rest/index.js';
import { createPlanning } from '../routing/planning.js';
import type { Parts } from './parts.js';

/** Starts interfaces A, B and D and the pages on their port. */
export async function start(parts: Parts) {
  const { config, metrics, running } = parts;
  const deps = { ...parts, ...startOrders(parts) };
  const counters = await redisCounters(parts);
  const trackingFeed = createTrackingFeed({ ...deps, watcher: metrics.openPages });
  const app = interfaces({ ...deps, trackingFeed }, counters?.storeFor);
  if (counters) running.add(counters.stop);
  await counters?.start();
  const { url, stop } = await listen(app, { ...config, setting: 'PORT' });
  const stopAll = () => {
    // Otherwise open answers would keep the server running until its deadline.
    trackingFeed.stop();
    return stop();
  };
  return { url, stop: stopAll };
}

/** Makes the counters of the limits in Redis, if there is one. */
async function redisCounters({ config, metrics, log }: Parts) {
  const { redisUrl: url, redisTimeoutMs: timeoutMs } = config;
  if (url === undefined) return undefined;
  const { sharedCounters } = await import('../http/limits/redis-link.js');
  return sharedCounters({ url, timeoutMs, watcher: metrics.redis() }, WINDOW_MS, log);
}

/** The queues that let requests of a process write orders and movements together. */
interface OrderParts {
  codes: CodeSource;
  placing: Placing;
  recording: Recording;
  bulkhead: Bulkhead;
  trackingLinks: TrackingLinks;
}

export function startOrders({ config, keys, log, metrics, tracer, db }: Parts): OrderParts {
  const { databaseConnectTimeoutMs: waitMs, databasePoolSize: connections, publicUrl } = config;
  const codes = createCodeSource(keys.codeKeys);
  const { placing, recording } = metrics;
  return {
    codes,
    placing: createPlacing({ db, codes, keys: keys.encryptionKeys, waitMs, watcher: placing, tracer }),
    recording: createRecording({ db, waitMs, watcher: recording, tracer }),
    bulkhead: createBulkhead({ connections, waitMs, log }),
    trackingLinks: createTrackingLinks(publicUrl, keys.codeKeys),
  };
}

type InterfaceParts = Parts & OrderParts & { trackingFeed: TrackingFeed };

function interfaces(parts: InterfaceParts, storeFor: StoreFor | undefined): Express {
  const { config, overrides, log, identity, worker, metrics, tracer } = parts;
  const { encryptionKeys } = parts.keys;
  const {
    bodyLimit,
    bodiesLimit,
    accountConcurrency,
    publicUrl,
    requireSecondFactor,
    eraseAfterDays,
    lostAfterDays,
    mapTilesUrl,
  } = config;
  const { geocoderUrl, osrmUrl, vroomUrl } = config;
  const planning =
    overrides.planning ?? createPlanning({ log, watcher: metrics.planning, geocoderUrl, osrmUrl, vroomUrl });
  const { fiscalDocument: fiscalRule } = config;
  const deps = { ...parts, encryptionKeys, planning, eraseAfterDays, lostAfterDays, fiscalRule, publicUrl };
  const limits = createLimits({
    publicPerHour: config.rateLimitPublicPerHour,
    accountPerHour: config.rateLimitAccountPerHour,
    operatorPerHour: config.rateLimitOperatorPerHour,
    accountConcurrency,
    connections: config.databasePoolSize,
    bodiesLimit,
    bodyLimit,
    storeFor,
    onRefused: metrics.onRefused,
  });
  const router = {
    log,
    authenticate: identity.actorOfToken,
    demandFactor: factorDemand({ db: parts.db, isRequired: requireSecondFactor }),
    limits,
    maxBody: bodyLimit,
    answerCheck: overrides.answerCheck,
    keys: encryptionKeys,
    recordAudit,
    accountOfRecord,
    bulkhead: parts.bulkhead,
  };
  const operator = { ...router, authenticate: operatorAuthentication(parts), limits: operatorLimits(limits) };
  const app = expressApp({ trustProxy: config.trustProxy, log, metrics: metrics.requests, tracer });
  const sessions = createSessions({ ...parts, keys: encryptionKeys });
  app.use(restRouter(deps, router));
  app.use(graphqlRouter(deps, { limits, maxBody: bodyLimit }));
  app.use('/docs', (req, _res, next) => {
    noteOperation(req, 'rest', 'getDocs');
    next();
  });
  app.use(docsRouter({ rest: restSpec, operator: operatorSpec, server: config.contractServer }));
  app.use(operatorRouter({ ...deps, destinations: worker.endpoints.destinations }, operator));
  app.use(
    pagesRouter({
      ...deps,
      limits,
      publicUrl,
      mapTilesUrl,
      console: { ...parts, encryptionKeys, app, limits, sessions, publicUrl, requireSecondFactor, mapTilesUrl },
    }),
  );
  app.use(unknownPath);
  app.use(errorHandler(log, errorForms));
  return app;
}
