/**
 * The contract types that the package's own code uses. Only the type checker of the repository needs this file. The
 * published package has all contract types in its place (clients/typescript/build.ts).
 */
import type { components } from '../../../generated/rest.js';

export type { TrackingPayload } from '../../../generated/tracking-webhook.js';

type Schemas = components['schemas'];
export type AccessToken = Schemas['AccessToken'];
export type KeyToken = Schemas['KeyToken'];
export type ErrorCode = Schemas['ErrorCode'];
export type ErrorReason = Schemas['ErrorReason'];
export type FieldError = Schemas['FieldError'];
export type Pagination = Schemas['Pagination'];
