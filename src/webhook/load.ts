import type { Claim } from '../deliveries/claim.js';
import type { SendKind } from '../deliveries/schedule.js';

/** A claimed lane with the frozen body that it carries. */
export interface Load {
  claim: Claim;
  kind: SendKind;
  /** The body tells of a sample package. */
  isTest: boolean;
  /** Attempts of the body before its present run. */
  attemptsBefore: number;
  webhookId: string;
  body: Buffer;
}
