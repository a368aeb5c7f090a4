/** What an operator key lets its holder do (contracts/guides/behaviour.md#identity-and-access). */
export type KeyScope = 'movements' | 'read' | 'all';

export type Role = 'operator' | 'customer';

/** Who sends a request: an account and the role that it has (contracts/guides/behaviour.md#identity-and-access). */
export interface Actor {
  accountId: string;
  role: Role;
  /** The operator key that was sent in place of a token; the account is then the operator who made it. */
  key?: { readonly id: string; readonly scope: KeyScope };
}

/**
 * The account whose records are all that the actor may see; undefined for an operator, who sees those of every account. Whatever
 * reads or changes records for an actor asks here, mostly by `ownedBy` of db/owned-by.ts.
 */
export function accountSeenBy({ role, accountId }: Actor): string | undefined {
  return role === 'operator' ? undefined : accountId;
}
