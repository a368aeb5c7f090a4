import type { ColumnType, Generated, GeneratedAlways } from 'kysely';
import type { MaybeStamp, Stamp, Time } from '../columns.js';

type DisabledReason = 'operator' | 'gone' | 'failing';
export type LaneState = 'idle' | 'ready' | 'leased' | 'waiting' | 'stopped' | 'held';
export type DeliveryKind = 'tracking' | 'test';
export const attemptOutcomes = ['acknowledged', 'refused', 'no_answer', 'not_sent'] as const;
export type AttemptOutcome = (typeof attemptOutcomes)[number];

interface WebhookEndpoints {
  id: string;
  account_id: string;
  url: string;
  username: string;
  password_sealed: Buffer;
  secret_sealed: Buffer;
  previous_secret_sealed: Buffer | null;
  previous_secret_until: MaybeStamp;
  /** `whpk_…`, with its private key. Both are null until an endpoint of an earlier release gets a key. */
  public_key: string | null;
  private_key_sealed: Buffer | null;
  previous_public_key: string | null;
  previous_private_key_sealed: Buffer | null;
  previous_key_until: MaybeStamp;
  lane_count: number;
  /** The generation of lanes for new notifications. A change of `lane_count` makes a new one. */
  generation: Generated<number>;
  failing_since: MaybeStamp;
  disabled_at: MaybeStamp;
  disabled_reason: DisabledReason | null;
  version: Generated<number>;
  created_at: Stamp;
  updated_at: Stamp;
  deleted_at: MaybeStamp;
}

interface WebhookLanes {
  id: GeneratedAlways<number>;
  endpoint_id: string;
  generation: number;
  /** Number of the lane. Lane -1 is for the operator's requests: replays and tests. */
  number: number;
  state: LaneState;
  /**
   * The time at which a ready or waiting lane may be claimed, or a lease ends. For an idle lane, the time since it is
   * idle.
   */
  due_at: Stamp;
  claim_id: string | null;
  webhook_id: string | null;
  /** Attempts of the webhook in its present run. */
  attempt: Generated<number>;
  /** The account whose share of the slow places the lane waits for. Null while its receiver answers promptly. */
  slow_account_id: string | null;
  /** Grows with every frequent change of the row. The index has the row's versions in this order. */
  changes: Generated<string>;
}

interface WebhookNotifications {
  lane_id: number;
  id: GeneratedAlways<string>;
  loggi_key: string;
  seq: number;
  enqueued_at: Stamp;
  /** The W3C trace context of the request that brought the movement. Null without one. */
  traceparent: string | null;
}

/** Requests of an account to its endpoint in one hour (endpoints/budgets.ts). */
interface EndpointBudgets {
  endpoint_id: string;
  action: string;
  window_started_at: Stamp;
  used: number;
}

/**
 * A catch-up of an endpoint, and its progress (queue/catch-ups.ts). Operations of kind `moved` stay after their end.
 */
interface WebhookCatchUps {
  id: GeneratedAlways<string>;
  endpoint_id: string;
  kind: 'moved' | 'open' | 'unsent';
  /** The start of the time whose movements are owed. */
  since: Time;
  /** The end of that time: from then on every movement is notified. Null until it is known. */
  until: MaybeStamp;
  /**
   * A snapshot: transactions that had ended when the endpoint was disabled have notified it. Null if it was not stored.
   */
  known: string | null;
  /** The timeline of the server whose transactions the numbers mean. */
  timeline: number;
  from_changed: string;
  /** The last package that was read, in the order of changes. */
  after_changed: string;
  after_key: Generated<string>;
  /** Open transactions that may have found the endpoint disabled, by their virtual numbers. */
  awaited: string[] | null;
  turn_at: Stamp;
  ended_at: MaybeStamp;
}

interface WebhookRequests {
  lane_id: number;
  id: GeneratedAlways<string>;
  webhook_id: string;
}

/** The body of a tracking delivery, by contracts/tracking-webhook.schema.json. */
export interface WebhookBody {
  packages: (WebhookEvent & {
    loggiKey: string;
    trackingCode: string;
    barcode: string;
    location: WebhookLocation;
    promisedDate: string;
    requestTime: string;
    trackingHistory: WebhookEvent[];
  })[];
}

interface WebhookEvent {
  status: {
    code: number;
    highLevelStatus: string;
    description: string;
    actionRequired: { reasonDescription: string; reasonLabel: string } | null;
    updatedTime: string;
    pickupAgency?: WebhookLocation & { address: string; postalCode: string };
  };
  location?: WebhookLocation;
}

interface WebhookLocation {
  city: string;
  state: string;
}

interface WebhookDeliveries {
  webhook_id: string;
  endpoint_id: string;
  lane_id: number;
  kind: DeliveryKind;
  members: ColumnType<string[], string[] | undefined, string[]>;
  package_count: number;
  /** Count of attempts in earlier runs: before a replay, or before the endpoint was enabled again. */
  attempts_before: Generated<number>;
  /** A test delivery has null until its body is written. */
  body: Buffer | null;
  created_at: Stamp;
  dead_at: MaybeStamp;
  retain_from: Stamp;
  /** The distinct trace contexts of its notifications. Null if none was given. */
  traceparents: string[] | null;
}

export interface WebhookAttempts {
  id: GeneratedAlways<string>;
  webhook_id: string;
  endpoint_id: string;
  number: number;
  replay: boolean;
  attempted_at: Time;
  duration_ms: number;
  outcome: AttemptOutcome;
  status_code: number | null;
  error: string | null;
  response_body: string | null;
  /** True if the worker no longer held the lane, so the attempt changed nothing. */
  lease_lost: boolean;
}

export interface DeliveryTables {
  webhook_endpoints: WebhookEndpoints;
  webhook_lanes: WebhookLanes;
  webhook_notifications: WebhookNotifications;
  webhook_requests: WebhookRequests;
  webhook_catch_ups: WebhookCatchUps;
  endpoint_budgets: EndpointBudgets;
  webhook_deliveries: WebhookDeliveries;
  webhook_attempts: WebhookAttempts;
}
