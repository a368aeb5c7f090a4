import type { Actor, FactorUse } from '../../base/actor.js';
import { forbidden } from '../../base/errors.js';
import type { Db } from '../../db/connect.js';
import { hasSecondFactor } from './second-factor.js';

interface FactorRules {
  db: Db;
  /** Operators without a second factor may only set one up. */
  isRequired: boolean;
}

const REASON = 'second_factor_required';

/**
 * Refuses operators whose token or key was got without a second factor: where the operator has one, all but reading;
 * where one is required and the operator has none, all but setting it up. Costs a read of one row for changes by
 * operators without it, and nothing for all others. Throws FORBIDDEN.
 */
export const factorDemand =
  ({ db, isRequired }: FactorRules) =>
  (actor: Actor, use: FactorUse): void | Promise<void> => {
    if (actor.role !== 'operator' || actor.withFactor || use === 'enrolment') return;
    if (use === 'change' || isRequired) return demandFactor(db, actor.accountId, use, isRequired);
  };

async function demandFactor(db: Db, accountId: string, use: FactorUse, isRequired: boolean): Promise<void> {
  const hasFactor = await hasSecondFactor(db, accountId);
  if (hasFactor && use === 'change') {
    throw forbidden(
      'Without your second factor you only read: sign in at POST /operator/v1/sign-in with a code.',
      REASON,
    );
  }
  if (!hasFactor && isRequired) {
    throw forbidden('Operators need a second factor here: set it up at POST /operator/v1/second-factor.', REASON);
  }
}
