import { forbidden, invalid, tooManyFailures } from '../../base/errors.js';
import type { Db } from '../../db/connect.js';
import { present } from '../account.js';
import { accountBudgets, spendAttempt } from '../login-budget.js';
import { verifyPassword } from '../passwords.js';
import { type SecondFactorDeps, spendCode } from './second-factor.js';

interface Proof {
  currentPassword?: string | undefined;
  code?: string | undefined;
}

/**
 * Demands the password of an operator who has signed in, or a code of its second factor, before what a stolen token
 * must not do. Throws FORBIDDEN without either, VALIDATION_ERROR on what is wrong, RATE_LIMITED.
 */
export async function demandProof(deps: SecondFactorDeps, accountId: string, { currentPassword, code }: Proof) {
  if (code === undefined && currentPassword === undefined) {
    throw forbidden('reauthentication_required', 'Send current_password, or a code of your second factor.');
  }
  const isRight =
    code === undefined
      ? () => isPassword(deps.db, accountId, currentPassword ?? '')
      : () => spendCode(deps, accountId, code);
  const attempt = await spendAttempt(deps.db, accountBudgets(accountId), isRight);
  if (!attempt.granted) throw tooManyFailures(attempt);
  if (attempt.succeeded) return;
  throw invalid([
    code === undefined
      ? { field: 'currentPassword', code: 'incorrect', message: 'is not the current password' }
      : { field: 'code', code: 'incorrect', message: 'is not valid, or was used before' },
  ]);
}

async function isPassword(db: Db, accountId: string, password: string): Promise<boolean> {
  const query = db.selectFrom('accounts').select('password_hash').where(present(accountId));
  const account = await query.executeTakeFirst();
  return account !== undefined && (await verifyPassword(account.password_hash, password));
}
