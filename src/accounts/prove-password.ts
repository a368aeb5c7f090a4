import { invalid, rateLimited } from '../base/errors.js';
import type { Db } from '../db/connect.js';
import { accountBudgets, releaseAttempt, reserveAttempt } from './login-budget.js';
import { verifyPassword } from './passwords.js';

const field = 'currentPassword';

export const wrongPassword = () => invalid([{ field, message: 'is not the current password' }]);

/**
 * Demands the account's own password before it is changed. A wrong one counts as a failed login of the account, so a stolen token
 * does not allow more guesses than the login does. Throws `VALIDATION_ERROR` on `currentPassword`, `RATE_LIMITED`.
 */
export async function provePassword(
  db: Db,
  account: { id: string; passwordHash: string },
  password: string | undefined,
): Promise<void> {
  if (password === undefined) throw invalid([{ field, message: 'is required to change your own password' }]);
  const reservation = await reserveAttempt(db, accountBudgets(account.id));
  if (!reservation.granted) throw rateLimited('Too many failed logins.', reservation.retryAfterSeconds);
  const giveBack = () => releaseAttempt(db, reservation.attempts);
  const matches = await verifyPassword(account.passwordHash, password).catch(async (error: unknown) => {
    await giveBack();
    throw error;
  });
  if (!matches) throw wrongPassword();
  await giveBack();
}
