/** What an operator key lets its holder do (contracts/guides/behaviour.md#identity-and-access). */
export type KeyScope = 'movements' | 'read' | 'all';

export type Role = 'operator' | 'customer';

/** Who sends a request: an account and the role that it has (contracts/guides/behaviour.md#identity-and-access). */
export interface Actor {
  accountId: string;
  role: Role;
  /** The operator key that was sent in place of a token; the account is then the operator who made it. */
  key?: { readonly id: string; readonly scope: KeyScope };
  /** Of an operator: whether a second factor was given at the sign-in, or when the key was made. */
  withFactor?: boolean;
  /** The sign-in that an operator's token is of. */
  signIn?: SignInMark;
}

/** Tells the sign-ins of one account apart. */
interface SignInMark {
  /** The account's epoch at the sign-in. */
  readonly epoch: number;
  readonly tokenId: string;
}

/**
 * What a request does, as far as it matters whether a second factor was given: reads, sets one up, or anything else.
 */
export type FactorUse = 'read' | 'enrolment' | 'change';

/**
 * The account whose records are all that the actor may see; undefined for an operator, who sees those of every account. Whatever
 * reads or changes records for an actor asks here, mostly by `ownedBy` of db/owned-by.ts.
 */
export function accountSeenBy({ role, accountId }: Actor): string | undefined {
  return role === 'operator' ? undefined : accountId;
}

/** What the audit log keeps of one thing that an operator did: names and ids, never what a body said. */
export interface NewAuditEntry {
  /** Undefined for a command that was run on the machine itself. */
  readonly actorId?: string | undefined;
  /** The operator key that it was done with. */
  readonly keyId?: string | undefined;
  /** The contract's operationId, or the name of a local command. */
  readonly operation: string;
  /** What it was done to: ids under the names that the contract gives them. */
  readonly targets: Readonly<Record<string, string>>;
  /** Path of the record that it made. */
  readonly location?: string | undefined;
  /** Names of the fields that were sent. */
  readonly fields: readonly string[];
  /** HTTP status of the answer. */
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
}
