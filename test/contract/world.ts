import type { Records } from '../support/bodies.js';
import type { Service } from '../support/service.js';

/** The services and records that make operations give each answer. */
export interface World {
  readonly service: Service;
  /** A service whose budgets are used up. */
  readonly limited: Service;
  /** A service that requires a second factor of operators. Its operator has none. */
  readonly strict: Service;
  /** A service that its database refuses. */
  readonly broken: Service;
  readonly records: Records;
  /** Records of another account. */
  readonly others: Records;
}
