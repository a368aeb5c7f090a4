import type { Selectable } from 'kysely';
import type { DisabledReason, WebhookEndpoints } from '../db/tables-deliveries.js';
import type { DeliveryAttempt } from './delivery.js';

/** An endpoint without its secrets. */
export interface Endpoint {
  id: string;
  accountId: string;
  url: string;
  username: string;
  state: 'active' | 'disabled';
  disabledReason: DisabledReason | null;
  /** Since when every attempt has failed. */
  failingSince: Date | null;
  /** The latest of those attempts; null when it is not on record. */
  lastFailure: EndpointFailure | null;
  lanes: number;
  /** Notifications not yet acknowledged; like the other counts, never above `mostCounted`. */
  pendingCount: number;
  /** Bodies that wait because an operator asked for them. */
  replayCount: number;
  /** Bodies given up and not replayed. */
  deadLetterCount: number;
  /** Counts changes of its settings, not of what is observed. */
  version: number;
  createdAt: Date;
  updatedAt: Date;
}

export interface EndpointFailure extends Pick<DeliveryAttempt, 'attemptedAt' | 'statusCode' | 'error'> {
  outcome: Exclude<DeliveryAttempt['outcome'], 'acknowledged'>;
}

export type EndpointRow = Pick<
  Selectable<WebhookEndpoints>,
  | 'id'
  | 'account_id'
  | 'url'
  | 'username'
  | 'lane_count'
  | 'failing_since'
  | 'disabled_at'
  | 'disabled_reason'
  | 'version'
  | 'created_at'
  | 'updated_at'
> & {
  pending_count: string;
  replay_count: string;
  dead_letter_count: string;
  attempted_at: Date | null;
  outcome: DeliveryAttempt['outcome'] | null;
  status_code: number | null;
  error: string | null;
};

export function toEndpoint(row: EndpointRow): Endpoint {
  return {
    id: row.id,
    accountId: row.account_id,
    url: row.url,
    username: row.username,
    state: row.disabled_at ? 'disabled' : 'active',
    disabledReason: row.disabled_reason,
    failingSince: row.failing_since,
    lastFailure: toFailure(row),
    lanes: row.lane_count,
    pendingCount: Number(row.pending_count),
    replayCount: Number(row.replay_count),
    deadLetterCount: Number(row.dead_letter_count),
    version: row.version,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** An answer that came after its lease was lost does not end the failure. */
const toFailure = ({ attempted_at: attemptedAt, outcome, status_code, error }: EndpointRow): EndpointFailure | null =>
  attemptedAt && outcome && outcome !== 'acknowledged'
    ? { attemptedAt, outcome, statusCode: status_code, error }
    : null;
