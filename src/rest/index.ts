import type { RequestHandler } from 'express';
import { sql } from 'kysely';
import type { ErrorContract } from '../../generated/errors.js';
import type { operations } from '../../generated/rest.js';
import spec from '../../generated/rest.openapi.json' with { type: 'json' };
import { routes } from '../../generated/rest.routes.js';
import type { ApiKeyScope, MemberRole } from '../base/actor.js';
import type { ErrorWords } from '../base/errors.js';
import { contractRouter, type RouterOptions } from '../http/contract-router.js';
import { accountLogHandlers } from './account-log.js';
import { apiKeysHandlers } from './api-keys.js';
import { authHandlers } from './auth.js';
import { brandingHandlers } from './branding.js';
import { collectionsHandlers } from './collections.js';
import { coverageHandlers } from './coverage.js';
import type { AllHandlers, RestDeps } from './deps.js';
import { labelsHandlers } from './labels.js';
import { membersHandlers } from './members.js';
import { ordersHandlers } from './orders.js';
import { packageChangesHandlers } from './package-changes.js';
import { packagesHandlers } from './packages.js';
import { presetsHandlers } from './presets.js';
import { pricesHandlers } from './prices.js';
import { productsHandlers } from './products.js';
import { proofsHandlers } from './proofs.js';
import { quotesHandlers } from './quotes.js';
import { secondFactorsHandlers } from './second-factors.js';
import { statementsHandlers } from './statements.js';
import { tokenHandlers } from './token.js';
import { usersHandlers } from './users.js';
import { webhooksHandlers } from './webhooks.js';

export { errorForms } from './token.js';
export { spec };

/** Handlers of all operations of interface A. A missing handler does not compile. */
const restHandlers = (deps: RestDeps): AllHandlers => ({
  getHealth: async () => {
    // If the database does not answer, this throws, and the error becomes 503.
    await sql`select 1`.execute(deps.db);
    return { status: 200, body: { status: 'ok' } };
  },
  ...authHandlers(deps),
  ...tokenHandlers(deps),
  ...membersHandlers(deps),
  ...secondFactorsHandlers(deps),
  ...accountLogHandlers(deps),
  ...apiKeysHandlers(deps),
  ...usersHandlers(deps),
  ...brandingHandlers(deps),
  ...productsHandlers(deps),
  ...ordersHandlers(deps),
  ...packageChangesHandlers(deps),
  ...proofsHandlers(deps),
  ...labelsHandlers(deps),
  ...packagesHandlers(deps),
  ...collectionsHandlers(deps),
  ...coverageHandlers(deps),
  ...presetsHandlers(deps),
  ...pricesHandlers(deps),
  ...quotesHandlers(deps),
  ...statementsHandlers(deps),
  ...webhooksHandlers(deps),
});

interface Admission {
  readonly scopes: readonly ApiKeyScope[];
  readonly memberRoles: readonly MemberRole[];
}

// Each operation with a token must say which API keys (`x-scopes`) and which members (`x-member-roles`) may call it.
// Otherwise this does not compile.
routes satisfies Readonly<Record<string, { security: 'none' } | Admission>>;

type Same<One, Other> = [One, Other] extends [Other, One] ? true : false;

// The contract and the service must know the same error codes and reasons. Otherwise this does not compile.
true satisfies Same<ErrorWords, ErrorContract>;

/** Serves interface A: `/auth`, `/health` and `/api/v1`, as contracts/openapi.yaml describes them. */
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
