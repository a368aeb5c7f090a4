import type { Express } from 'express';
import { recordAudit } from '../accounts/audit.js';
import { operatorAuthentication } from '../accounts/operator-key-check.js';
import { factorDemand } from '../accounts/sessions/factor-demand.js';
import { createSessions } from '../accounts/sessions/sessions.js';
import type { Config } from '../base/config.js';
import type { Logger } from '../base/log.js';
import { graphqlRouter } from '../graphql/index.js';
import { errorHandler, unknownPath } from '../http/errors.js';
import { createLimits, operatorLimits } from '../http/limits/rate-limit.js';
import type { SharedCounters } from '../http/limits/redis-store.js';
import { expressApp } from '../http/server/express-app.js';
import { noteOperation } from '../http/server/request-log.js';
import { operatorRouter, spec as operatorSpec } from '../operator/index.js';
import { pagesRouter } from '../pages/index.js';
import type { TrackingFeed } from '../pages/tracking/feed.js';
import { docsRouter } from '../rest/docs.js';
import { restRouter, spec as restSpec } from '../rest/index.js';
import { createPlanning, type Planning } from '../routing/planning.js';
import type { PlanningWatcher } from '../routing/remote/fallback.js';
import type { Overrides, Parts } from './parts.js';

/** All interfaces in one application; `counters` are those of Redis, if there is one. */
export function interfaces(
  config: Config,
  overrides: Overrides,
  parts: Parts & { counters: SharedCounters | undefined; trackingFeed: TrackingFeed },
): Express {
  const { log, identity, worker, counters, metrics, tracer } = parts;
  const planning = overrides.planning ?? planningOf(config, log, metrics.planning);
  const deps = { ...parts, planning, eraseAfterDays: config.eraseAfterDays };
  const limits = createLimits({
    publicPerHour: config.rateLimitPublicPerHour,
    accountPerHour: config.rateLimitAccountPerHour,
    operatorPerHour: config.rateLimitOperatorPerHour,
    accountConcurrency: config.accountConcurrency,
    bodiesLimit: config.bodiesLimit,
    bodyLimit: config.bodyLimit,
    storeFor: counters?.storeFor ?? overrides.supervised?.storeFor,
    onRefused: metrics.onRefused,
  });
  const router = {
    log,
    authenticate: identity.actorOfToken,
    demandFactor: factorDemand({ db: parts.db, isRequired: config.requireSecondFactor }),
    limits,
    maxBody: config.bodyLimit,
    validateResponses: overrides.validateResponses ?? false,
    keys: parts.encryptionKeys,
    recordAudit,
    bulkhead: parts.bulkhead,
  };
  const app = expressApp({ trustProxy: config.trustProxy, log, metrics: metrics.requests, tracer });
  app.use(restRouter(deps, router));
  app.use(graphqlRouter(deps, { limits, maxBody: config.bodyLimit }));
  app.use('/docs', (req, _res, next) => {
    noteOperation(req, 'rest', 'getDocs');
    next();
  });
  app.use(docsRouter({ rest: restSpec, operator: operatorSpec }));
  app.use(
    operatorRouter(
      { ...deps, endpoints: worker.endpoints },
      {
        ...router,
        authenticate: operatorAuthentication(parts),
        limits: operatorLimits(limits),
      },
    ),
  );
  app.use(
    pagesRouter({
      ...deps,
      limits,
      console: {
        ...parts,
        app,
        limits,
        sessions: createSessions({ ...parts, keys: parts.encryptionKeys }),
        publicUrl: config.publicUrl,
        requireSecondFactor: config.requireSecondFactor,
      },
    }),
  );
  app.use(unknownPath);
  app.use(errorHandler(log));
  return app;
}

function planningOf({ geocoderUrl, osrmUrl, vroomUrl }: Config, log: Logger, watcher: PlanningWatcher): Planning {
  return createPlanning({
    log,
    watcher,
    ...(geocoderUrl ? { geocoderUrl } : {}),
    ...(osrmUrl ? { osrmUrl } : {}),
    ...(vroomUrl ? { vroomUrl } : {}),
  });
}
