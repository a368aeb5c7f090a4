import { hash } from '@node-rs/argon2';
import type { PasswordCost } from '../../src/accounts/passwords.js';

export const PASSWORD = 'correct horse battery';

/** The cost in tests: a three-hundredth of the cost in production. */
export const passwordCost: PasswordCost = { memoryCost: 64, timeCost: 1, parallelism: 1 };

export const passwordHash = await hash(PASSWORD, passwordCost);
