import type { AddressRules } from './addresses.js';

/** A customer's receiver to verify, with its credentials (contracts/guides/webhook.md#what-arrives). */
export interface ReceiverToVerify {
  url: string;
  username: string;
  password: string;
  /** The signing secret `whsec_…`, or the private key `whsk_…` for a receiver that verifies by public keys. */
  secret: string;
  /** A second secret that signs, too, during a rotation. */
  oldSecret?: string | undefined;
  addresses: AddressRules;
  extraCa?: string | undefined;
}

/** The finding of a check. `seen` says what the receiver did, `advice` how to correct it. */
export interface Finding {
  result: 'passed' | 'warning' | 'failed' | 'not_tried';
  seen: string;
  advice?: string;
}

/** The result of a check. Its name never changes. `means` states the fact that a passed check proves. */
export interface CheckResult extends Finding {
  check: string;
  means: string;
}

/** Checks a receiver by requests like the worker's. `began` is called before each check. */
export type VerifyReceiver = (
  receiver: ReceiverToVerify,
  began: (check: string, number: number, of: number) => void,
) => Promise<CheckResult[]>;
