import type { Selectable } from 'kysely';
import type { AttemptOutcome, DeliveryKind, WebhookAttempts } from '../db/tables-deliveries.js';

/** One request to an endpoint. */
export interface DeliveryAttempt {
  webhookId: string;
  /** Which attempt of the body, from 1. */
  number: number;
  attemptedAt: Date;
  outcome: AttemptOutcome;
  statusCode: number | null;
  durationMs: number;
  error: string | null;
  /** At most the first 4 KiB, read as UTF-8. */
  responseBody: string | null;
}

export type DeliveryState = 'waiting' | 'delivered' | 'dead_letter';

/** A body and what has become of it. */
export interface DeliverySummary {
  webhookId: string;
  endpointId: string;
  kind: DeliveryKind;
  state: DeliveryState;
  packageCount: number;
  attemptCount: number;
  createdAt: Date;
  /** When it was delivered or given up. */
  endedAt: Date | null;
}

export interface Delivery extends DeliverySummary {
  /** While it waits. */
  nextAttemptAt: Date | null;
  /** Absent until the first attempt. */
  body: string | null;
  /** The latest 100, newest first. */
  attempts: DeliveryAttempt[];
}

export function toAttempt(row: Selectable<WebhookAttempts>): DeliveryAttempt {
  return {
    webhookId: row.webhook_id,
    number: row.number,
    attemptedAt: row.attempted_at,
    outcome: row.outcome,
    statusCode: row.status_code,
    durationMs: row.duration_ms,
    error: row.error,
    responseBody: row.response_body,
  };
}

export interface SummaryRow {
  webhook_id: string;
  endpoint_id: string;
  kind: DeliveryKind;
  package_count: number;
  created_at: Date;
  dead_at: Date | null;
  attempt_count: string;
  acknowledged_at: Date | null;
  waiting: boolean;
}

export function toSummary(row: SummaryRow): DeliverySummary {
  const state = row.waiting ? 'waiting' : row.dead_at ? 'dead_letter' : 'delivered';
  return {
    webhookId: row.webhook_id,
    endpointId: row.endpoint_id,
    kind: row.kind,
    state,
    packageCount: row.package_count,
    attemptCount: Number(row.attempt_count),
    createdAt: row.created_at,
    endedAt: state === 'waiting' ? null : (row.dead_at ?? row.acknowledged_at),
  };
}
