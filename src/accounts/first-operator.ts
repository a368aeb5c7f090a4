import { randomBytes } from 'node:crypto';
import type { Db } from '../db/connect.js';
import { transaction } from '../db/transaction.js';
import { hasOperator, lockOperators } from './operators.js';
import { hashPassword } from './passwords.js';
import { createAccount } from './users.js';

export interface FirstOperator {
  email: string;
  /** Generated when left out. */
  password?: string | undefined;
}

/** A generated password is in nobody's hands yet: the process prints it, once, and never logs it. */
export type FirstOperatorResult = { created: false } | { created: true; email: string; generatedPassword?: string };

/**
 * Creates the first operator if there is none; starts at the same time create one. Its phone counts as confirmed, so that it can use
 * every interface.
 */
export async function ensureFirstOperator(db: Db, { email, password }: FirstOperator): Promise<FirstOperatorResult> {
  if (await hasOperator(db)) return { created: false };
  const secret = password ?? randomBytes(18).toString('base64url');
  const passwordHash = await hashPassword(secret);
  return transaction(db, async (trx) => {
    await lockOperators(trx);
    if (await hasOperator(trx)) return { created: false };
    await createAccount(trx, { ...operator, email, passwordHash });
    return { created: true, email, ...(password === undefined ? { generatedPassword: secret } : {}) };
  });
}

const operator = { name: 'Operator', phone: '+55 00 0000-0000', phoneConfirmed: true, role: 'operator' } as const;
