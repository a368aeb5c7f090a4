import type { SealedTable } from '../db/sealed-tables.js';
import { sealedEndpoints } from '../deliveries/secrets.js';
import { sealedAnswers } from '../http/idempotency/stored-answers.js';

/** All that `ENCRYPTION_KEYS` seals. */
export const sealedTables: readonly SealedTable[] = [sealedEndpoints, sealedAnswers];
