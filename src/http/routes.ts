import type { Actor, KeyScope } from '../base/actor.js';

export type Method = 'get' | 'post' | 'put' | 'patch' | 'delete';

/** One row of the route table that is generated from a contract. */
export interface Route {
  readonly method: Method;
  /** OpenAPI template from the root, e.g. `/api/v1/orders/{id}`. */
  readonly path: string;
  /** `none` only where the contract says `security: []`. */
  readonly security: 'bearer' | 'none';
  /** `x-idempotent`: honours `Idempotency-Key`; its handler has two stages. */
  readonly idempotent: boolean;
  /** `x-static`: answered by other means than a handler; the router leaves it alone. */
  readonly static?: boolean;
  /** `x-roles`: who may call it; absent means every authenticated account. */
  readonly roles?: readonly Actor['role'][];
  /** `x-scopes`: which operator keys may call it; absent means those of scope `all`. */
  readonly scopes?: readonly KeyScope[];
  /** `x-scope-filters`: scopes that see only what one of these query parameters names. */
  readonly scopeFilters?: Partial<Readonly<Record<KeyScope, readonly string[]>>>;
  /** What an operator does by it is written to the audit log; its handler has two stages. See codegen.ts for which ones. */
  readonly audited?: true;
  /** `x-max-body`: largest body in bytes, after decompression. */
  readonly maxBody?: number;
  /** Whether a successful answer holds a field marked as secret: no cache may keep it. */
  readonly secret?: true;
  /** `x-deprecated-at`: RFC 3339 date or time since which it is deprecated. */
  readonly deprecatedAt?: string;
  /** `x-sunset`: RFC 3339 date or time at which it ends. */
  readonly sunset?: string;
}

/** operationId → route; generated as a `const` object. */
export type RouteTable = Readonly<Record<string, Route>>;
