/**
 * Types of the contracts that the package's own code uses. This file is for the type checker of the repository; in the
 * published package all types of the contracts stand in its place (clients/typescript/build.ts).
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
