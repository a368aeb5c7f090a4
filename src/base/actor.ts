/** Who asks: an account and the role that it has (contracts/decisions.md, identity and access). */
export interface Actor {
  accountId: string;
  role: 'operator' | 'customer';
}
