import { hash } from '@node-rs/argon2';

/** The password of the tests' accounts. */
export const PASSWORD = 'correct horse battery';

/** Its hash, of the same kind as the service's but made in a hundredth of the time: to verify it costs as little. */
export const passwordHash = await hash(PASSWORD, { memoryCost: 64, timeCost: 1, parallelism: 1 });
