import type { AddressRules } from './addresses.js';

/** A customer's receiver to verify, with its credentials (contracts/guides/webhook.md#what-arrives). */
export interface ReceiverToVerify {
  url: string;
  username: string;
  password: string;
  /** `whsec_…`, or `whsk_…`, a private key, for a receiver that verifies by public keys. */
  secret: string;
  /** Accepted as well, while secrets are changed. */
  oldSecret?: string | undefined;
  addresses: AddressRules;
  extraCa?: string | undefined;
}

/** The finding of a check; `seen` is what the receiver did, `advice` what to do about it. */
export interface Finding {
  result: 'passed' | 'warning' | 'failed' | 'not_tried';
  seen: string;
  advice?: string;
}

/** Names of checks stay; `means` says what holds where the check has passed. */
export interface CheckResult extends Finding {
  check: string;
  means: string;
}

/** Tries a receiver by requests like the worker's. `began` is called before each check. */
export type VerifyReceiver = (
  receiver: ReceiverToVerify,
  began: (check: string, number: number, of: number) => void,
) => Promise<CheckResult[]>;
