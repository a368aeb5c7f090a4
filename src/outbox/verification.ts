import type { AddressRules } from './addresses.js';

/** A customer's receiver that is to be verified, with what it expects (contracts/guides/webhook.md#what-arrives). */
export interface ReceiverToVerify {
  url: string;
  username: string;
  password: string;
  /** As `whsec_…`; or `whsk_…`, a private key, for one that verifies by public keys. */
  secret: string;
  /** One that it accepts as well, while secrets are changed. */
  oldSecret?: string | undefined;
  addresses: AddressRules;
  /** PEM of authorities that are trusted besides the public ones. */
  extraCa?: string | undefined;
}

/** What a check came to; `seen` is what the receiver did, `advice` what to do about it. */
export interface Finding {
  result: 'passed' | 'warning' | 'failed' | 'not_tried';
  seen: string;
  advice?: string;
}

/** Names of checks stay; `means` says in words what holds where the check has passed. */
export interface CheckResult extends Finding {
  check: string;
  means: string;
}

/** Tries a receiver by requests like those of the worker. `began` is called before each check. */
export type VerifyReceiver = (
  receiver: ReceiverToVerify,
  began: (check: string, number: number, of: number) => void,
) => Promise<CheckResult[]>;
