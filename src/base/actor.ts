/** What an operator key lets its holder do (contracts/guides/behaviour.md#identity-and-access). */
export type KeyScope = 'movements' | 'read' | 'all';

/** Who asks: an account and the role that it has (contracts/guides/behaviour.md#identity-and-access). */
export interface Actor {
  accountId: string;
  role: 'operator' | 'customer';
  /** The operator key that was sent in place of a token; the account is then the operator who made it. */
  key?: { readonly id: string; readonly scope: KeyScope };
}
