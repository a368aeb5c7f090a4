import { invalid, rateLimited } from '../base/errors.js';
import type { Db } from '../db/connect.js';
import { accountBudgets, releaseAttempt, reserveAttempt } from './login-budget.js';
import { verifyPassword } from './passwords.js';

const FIELD = 'currentPassword';

export const wrongPassword = () => invalid([{ field: FIELD, message: 'is not the current password' }]);

export const passwordMissing = () =>
  invalid([{ field: FIELD, message: 'is required to change your own e-mail address, phone or password' }]);

/**
 * Demands the account's own password before it is changed. Ten wrong ones in 15 minutes use up the account's budget for it, whatever its
 * e-mail address is by then, so a stolen token allows no guessing. Throws `VALIDATION_ERROR` on `currentPassword`, `RATE_LIMITED`.
 */
export async function provePassword(
  db: Db,
  account: { id: string; passwordHash: string },
  password: string | undefined,
): Promise<void> {
  if (password === undefined) throw passwordMissing();
  const reservation = await reserveAttempt(db, accountBudgets(account.id));
  if (!reservation.granted) throw rateLimited('Too many wrong current passwords.', reservation.retryAfterSeconds);
  const giveBack = () => releaseAttempt(db, reservation.attempts);
  const matches = await verifyPassword(account.passwordHash, password).catch(async (error: unknown) => {
    await giveBack();
    throw error;
  });
  if (!matches) throw wrongPassword();
  await giveBack();
}
