import { conflict, type ServiceError } from '../base/errors.js';

/** The fault of an order whose externalId another order of the account has. */
export const externalIdTaken = (): ServiceError =>
  conflict('The account has an order of this external id.', [{ field: 'externalId', message: 'is taken' }]);
