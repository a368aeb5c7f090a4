/** The rights of an operator key (contracts/guides/behaviour.md#identity-and-access). */
export const keyScopes = ['movements', 'courier', 'read', 'all'] as const;
export type KeyScope = (typeof keyScopes)[number];

/** The rights of a named API key, and of the tokens that it is exchanged for. */
export type ApiKeyScope = 'read' | 'all';

export type Role = 'operator' | 'customer';

/** The rights of a person within an account (contracts/guides/behaviour.md#identity-and-access). */
export const memberRoles = ['owner', 'shipper', 'viewer'] as const;
export type MemberRole = (typeof memberRoles)[number];

export interface Actor {
  accountId: string;
  role: Role;
  /** The operator key that was sent instead of a token. The actor's account is the operator who made the key. */
  key?: { readonly id: string; readonly scope: KeyScope };
  /** The named API key that was sent, or that the token was exchanged for. It belongs to the actor's account. */
  apiKey?: { readonly id: string; readonly scope: ApiKeyScope };
  /** The member of the account who signed in; undefined for the account's own sign-in, an operator or a key. */
  member?: { readonly id: string; readonly role: MemberRole } | undefined;
  /** True for a person who gave a second factor, at the sign-in or when the operator key was made. */
  withFactor?: boolean;
  /** True for a person who lacks the second factor that the account demands. */
  mustEnrol?: boolean;
  /** The sign-in that issued the token, with the epoch of the account, and the member's own. */
  signIn?: { readonly epoch: number; readonly memberEpoch?: number | undefined; readonly tokenId: string };
}

/** The id of the person who signed in: the member or, for the account's own sign-in, the account. */
export const personOf = ({ accountId, member }: Pick<Actor, 'accountId' | 'member'>): string => member?.id ?? accountId;

/** Kinds of use. They decide whether a person must have a second factor. */
export type FactorUse = 'read' | 'enrolment' | 'change';

/** The only account whose records the actor may see. Undefined for an operator, who sees all. */
export const accountSeenBy = ({ role, accountId }: Actor): string | undefined =>
  role === 'operator' ? undefined : accountId;

/** Limits an operator's list to one account, if the request names one. */
export const asSeenBy = (actor: Actor, accountId: string | undefined): Actor =>
  accountId === undefined ? actor : { accountId, role: 'customer' };

/** The actor of a change, in the form of the audit log. */
export function auditedActor({ role, accountId, member, key, apiKey }: Actor) {
  if (role === 'operator') return { actorId: accountId, keyId: key?.id };
  return { accountId, isOwn: true, actorId: personOf({ accountId, member }), keyId: apiKey?.id };
}

/** An entry of the audit log. It has names and ids, never values of a body. */
export interface NewAuditEntry {
  /** The account whose own log shows the entry. */
  readonly accountId?: string | undefined;
  /** True if the account itself made the change, false if an operator did. */
  readonly isOwn?: boolean;
  /** The operator, the member or the account. Undefined for a command that was run on the machine itself. */
  readonly actorId?: string | undefined;
  /** The operator key, or the named API key. */
  readonly keyId?: string | undefined;
  /** The contract's operationId, or the name of a local command. */
  readonly operation: string;
  /** Ids of the changed records, under the contract's names. */
  readonly targets: Readonly<Record<string, string>>;
  /** Path of the new record. */
  readonly location?: string | undefined;
  /** Names of the fields that were sent. */
  readonly fields: readonly string[];
  readonly status?: number | undefined;
  readonly requestId?: string | undefined;
}
