import type { RequestHandler } from 'express';
import type { operations } from '../../generated/rest.js';
import spec from '../../generated/rest.openapi.json' with { type: 'json' };
import { routes } from '../../generated/rest.routes.js';
import { contractRouter, type RouterOptions } from '../http/contract-router.js';
import type { Handlers } from '../http/handler.js';
import { authHandlers } from './auth.js';
import type { RestDeps } from './deps.js';
import { estimatesHandlers } from './estimates.js';
import { labelsHandlers } from './labels.js';
import { ordersHandlers } from './orders.js';
import { packagesHandlers } from './packages.js';
import { productsHandlers } from './products.js';
import { proofsHandlers } from './proofs.js';
import { systemHandlers } from './system.js';
import { trackingHandlers } from './tracking.js';
import { usersHandlers } from './users.js';
import { webhooksHandlers } from './webhooks.js';

export { secretFields } from '../../generated/redact.js';
export { spec };

/** Every operation of interface A; one that is missing does not compile. */
const restHandlers = (deps: RestDeps): Handlers<operations, typeof routes> => ({
  ...authHandlers(deps),
  ...systemHandlers(deps),
  ...usersHandlers(deps),
  ...productsHandlers(deps),
  ...ordersHandlers(deps),
  ...proofsHandlers(deps),
  ...labelsHandlers(deps),
  ...estimatesHandlers(deps),
  ...packagesHandlers(deps),
  ...trackingHandlers(deps),
  ...webhooksHandlers(deps),
});

/** Interface A: `/auth/login`, `/health` and `/api/v1`, as contracts/openapi.yaml describes them. */
export function restRouter(
  deps: RestDeps,
  options: Omit<RouterOptions, 'spec' | 'interfaceName' | 'db'>,
): RequestHandler {
  return contractRouter<operations, typeof routes>({
    ...options,
    db: deps.db,
    interfaceName: 'rest',
    spec,
    routes,
    handlers: restHandlers(deps),
  });
}
