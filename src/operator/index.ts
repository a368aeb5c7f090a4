import type { RequestHandler } from 'express';
import type { operations } from '../../generated/operator.js';
import spec from '../../generated/operator.openapi.json' with { type: 'json' };
import { routes } from '../../generated/operator.routes.js';
import type { KeyScope } from '../base/actor.js';
import { contractRouter, type RouterOptions } from '../http/contract-router.js';
import { accountsHandlers } from './accounts.js';
import { apiKeysHandlers } from './api-keys.js';
import { auditLogHandlers } from './audit-log.js';
import { calendarHandlers } from './calendars.js';
import { collectionsHandlers } from './collections.js';
import { deliveriesHandlers } from './deliveries.js';
import type { AllHandlers, OperatorDeps } from './deps.js';
import { erasureHandlers } from './erasure.js';
import { figuresHandlers } from './figures.js';
import { membersHandlers } from './members.js';
import { movementsHandlers } from './movements.js';
import { namesHandlers } from './names.js';
import { operatorKeysHandlers } from './operator-keys.js';
import { ordersHandlers } from './orders.js';
import { packageStatusesHandlers } from './package-statuses.js';
import { packagesHandlers } from './packages.js';
import { proofsHandlers } from './proofs.js';
import { rateCardsHandlers } from './rate-cards.js';
import { serviceAreasHandlers } from './service-areas.js';
import { signInHandlers } from './sign-in.js';
import { statementsHandlers } from './statements.js';
import { tasksHandlers } from './tasks.js';
import { webhookEndpointsHandlers } from './webhook-endpoints.js';

export type { OperatorDeps } from './deps.js';
export { spec };

/** Handlers of all operations of the operator's interface. A missing handler does not compile. */
const operatorHandlers = (deps: OperatorDeps): AllHandlers => ({
  ...signInHandlers(deps),
  ...movementsHandlers(deps),
  ...collectionsHandlers(deps),
  ...ordersHandlers(deps),
  ...namesHandlers(deps),
  ...packagesHandlers(deps),
  ...proofsHandlers(deps),
  ...figuresHandlers(deps),
  ...packageStatusesHandlers(deps),
  ...rateCardsHandlers(deps),
  ...statementsHandlers(deps),
  ...serviceAreasHandlers(deps),
  ...calendarHandlers(deps),
  ...accountsHandlers(deps),
  ...apiKeysHandlers(deps),
  ...membersHandlers(deps),
  ...webhookEndpointsHandlers(deps),
  ...deliveriesHandlers(deps),
  ...operatorKeysHandlers(deps),
  ...auditLogHandlers(deps),
  ...erasureHandlers(deps),
  ...tasksHandlers(deps),
});

// Each operation must say which operator keys may call it (`x-scopes`). Otherwise this does not compile.
routes satisfies Readonly<Record<string, { readonly scopes: readonly KeyScope[] }>>;

/** Serves the operator's interface: `/operator/v1`, as contracts/operator.openapi.yaml describes it. */
export function operatorRouter(
  deps: OperatorDeps,
  options: Omit<RouterOptions, 'spec' | 'interfaceName' | 'db'>,
): RequestHandler {
  return contractRouter<operations, typeof routes>({
    ...options,
    db: deps.db,
    interfaceName: 'operator',
    spec,
    routes,
    handlers: operatorHandlers(deps),
  });
}
