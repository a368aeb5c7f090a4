import type { Records } from '../support/bodies.js';
import type { Service } from '../support/service.js';

/** The services and records with which operations are brought to each answer. */
export interface World {
  readonly service: Service;
  /** A service whose budgets are used up. */
  readonly limited: Service;
  /** A service whose operators need a second factor, which its operator has not. */
  readonly strict: Service;
  /** A service whose database does not let it in. */
  readonly broken: Service;
  readonly records: Records;
  /** Records of another account. */
  readonly others: Records;
}
