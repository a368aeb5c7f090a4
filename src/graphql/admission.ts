import type { RequestHandler } from 'express';
import type { Identity } from '../accounts/identity.js';
import { ServiceError } from '../base/errors.js';
import { rememberActor } from '../http/authentication.js';
import type { Limits } from '../http/limits/rate-limit.js';

export type DoorLimits = Pick<Limits, 'publicByIp' | 'byAccount' | 'countFailure'>;

/**
 * Finds out who asks, and counts the request against his budget: the account's, which REST shares, or without credentials the
 * address's. Wrong credentials throw `UNAUTHENTICATED` and count against the address too.
 */
export function admission(identity: Identity, limits: DoorLimits): RequestHandler {
  return async (req, res, next) => {
    const { authorization } = req.headers;
    if (authorization === undefined) return limits.publicByIp(req, res, next);
    try {
      rememberActor(req, await identity.authenticateApiKey(authorization));
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'UNAUTHENTICATED') await limits.countFailure(req, res);
      throw error;
    }
    return limits.byAccount(req, res, next);
  };
}
