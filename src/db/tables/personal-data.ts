import { erased } from '../../base/erased.js';
import { changeData, ledgerData, priceLines } from './change-data.js';
import { type AllClasses, classesOf, kept, rewritten, rowGone } from './classes.js';
import { personData } from './person-data.js';

/** Without its texts a stop still has its municipality, times and metres, and so its place in the route. */
const stop = {
  address: erased.text,
  complement: null,
  instructions: null,
  latitude: erased.coordinate,
  longitude: erased.coordinate,
  precision: 'city',
  accuracy_metres: null,
  location_given: null,
  district: null,
  postal_code: null,
} as const;

const endpointSecrets = {
  password_sealed: Buffer.alloc(0),
  secret_sealed: Buffer.alloc(0),
  previous_secret_sealed: null,
  public_key: null,
  private_key_sealed: null,
  previous_public_key: null,
  previous_private_key_sealed: null,
} as const;

const bandPrices = { prices: kept, perFurtherKg: kept } as const;

/**
 * Every column of every table: kept, or personal. A personal column has the occasion and the value of its erasure; see
 * docs/personal-data.md.
 */
export const personalData = {
  ...personData,

  products: classesOf('products', {
    kept: 'id account_id sku name description price_centavos width height length weight version created_at updated_at deleted_at',
  }),
  rate_cards: classesOf('rate_cards', {
    kept: 'version base_centavos per_km_centavos per_kg_centavos per_extra_stop_centavos volumetric_cm3_per_kg urban_km name valid_from created_at',
    json: {
      zones: { weights: kept, economyDays: kept, rows: { upToKm: kept, ...bandPrices, economy: bandPrices } },
      ad_valorem: { basisPoints: kept, leastCentavos: kept },
    },
  }),
  account_rate_cards: classesOf('account_rate_cards', { kept: 'account_id valid_from name created_at' }),
  service_areas: classesOf('service_areas', {
    kept: 'version valid_from place_count created_at',
    json: {
      areas: {
        name: kept,
        states: kept,
        municipalities: kept,
        postalCodes: { from: kept, to: kept },
        collects: kept,
        delivers: kept,
        services: kept,
        weekdays: kept,
        extraWorkdays: kept,
      },
    },
  }),
  calendars: classesOf('calendars', {
    kept: 'version valid_from closed_count created_at',
    json: {
      hours: {
        collectionLeadMinutes: kept,
        collectionCutoff: kept,
        opening: kept,
        closing: kept,
        saturdays: kept,
        sundays: kept,
      },
      closed: { date: kept, name: kept, state: kept, municipality: kept },
    },
  }),
  orders: classesOf('orders', {
    kept: 'id account_id external_id status payment_method_id rate_card_version total_centavos distance_metres distance_source pickup_count package_count service version created_at updated_at recipients_erased_at ready_at changed',
    json: { price_lines: priceLines },
    recipient: { metadata: null },
  }),
  order_external_ids: classesOf('order_external_ids', { kept: 'account_id external_id order_id' }),
  order_tallies: classesOf('order_tallies', {
    kept: 'scope hours starts_at shard created processing out_for_delivery completed cancelled packages',
  }),
  counted_packages: classesOf('counted_packages', {
    kept: 'loggi_key account_id promised_date status_code status_since city state missed_on missed_why has_missed changed_on status_code_before city_before state_before missed_on_before missed_why_before',
  }),
  day_end_counts: classesOf('day_end_counts', {
    kept: 'date number packages status_code late_days is_late missed_why city state account_id',
  }),
  day_results: classesOf('day_results', { kept: 'date packages delivered on_time first_attempt' }),
  pickups: classesOf('pickups', {
    kept: 'order_id position city state waypoint_index eta leg_metres',
    recipient: { sender_name: null, sender_phone: null, ...stop },
  }),
  package_statuses: classesOf('package_statuses', {
    kept: 'code name description requirement final stage',
    json: { public_title: { pt_br: kept, en: kept } },
  }),
  packages: classesOf('packages', {
    kept: 'loggi_key account_id order_id position pickup_position tracking_code barcode city state waypoint_index eta leg_metres width height length weight promised_date seq status_code status_since current_movement_id created_at tracking_link declared_centavos line_haul_centavos direct_metres fiscal_kind deliver_from deliver_by attempt_count attempt_outcome attempt_next_on attempted_at reference changed link_shows_all',
    json: { items: { productId: kept, quantity: kept } },
    recipient: {
      recipient_name: erased.text,
      recipient_phone: erased.phone,
      recipient_tax_id: null,
      fiscal_key: null,
      fiscal_reason: null,
      ...stop,
    },
  }),
  package_codes: classesOf('package_codes', { kept: 'tracking_code barcode loggi_key' }),
  movements: classesOf('movements', {
    kept: 'id loggi_key seq status_code happened_at reported_at recorded_at city state agency_city agency_state attempt_outcome attempt_next_on expected_from expected_to reopens reopened_by',
    recipient: {
      reason_label: erased.text,
      reason_description: erased.text,
      agency_address: erased.text,
      agency_postal_code: erased.postalCode,
    },
  }),
  movement_keys: classesOf('movement_keys', { kept: 'id loggi_key' }),
  delivery_proofs: classesOf('delivery_proofs', { kept: 'loggi_key order_id movement_id', recipient: { facts: null } }),
  delivery_pictures: classesOf('delivery_pictures', {
    kept: 'loggi_key kind order_id media_type size',
    recipient: { sealed: rowGone, sent_hash: rowGone },
  }),
  delivery_pins: classesOf('delivery_pins', {
    kept: 'loggi_key order_id wrong_tries confirmed_at overridden_at',
    recipient: { pin: rowGone, override_reason: rowGone },
  }),
  // These rows are removed when the order ends, which is before its recipient may be erased.
  fiscal_keys: classesOf('fiscal_keys', { kept: 'account_id key order_ids' }),
  key_copies: classesOf('key_copies', { kept: 'source last_id' }),
  change_marks: classesOf('change_marks', { kept: 'marked_at timeline oldest' }),
  change_numbers: classesOf('change_numbers', { kept: 'server numbering' }),
  leases: classesOf('leases', { kept: 'name holder held_until' }),

  ...changeData,
  ...ledgerData,
  collections: classesOf('collections', {
    kept: 'id account_id code package_count created_at cancelled_at received_at received_by happened_at city state extra_codes fingerprint',
  }),
  collection_packages: classesOf('collection_packages', {
    kept: 'collection_id position loggi_key order_id is_open outcome',
  }),

  webhook_endpoints: classesOf('webhook_endpoints', {
    kept: 'id account_id previous_secret_until previous_key_until lane_count generation failing_since disabled_at disabled_reason version created_at updated_at deleted_at',
    endpoint: endpointSecrets,
    deletion: { ...endpointSecrets, url: erased.url, username: erased.text },
  }),
  webhook_lanes: classesOf('webhook_lanes', {
    kept: 'id endpoint_id generation number state due_at claim_id webhook_id attempt slow_account_id changes',
  }),
  webhook_notifications: classesOf('webhook_notifications', {
    kept: 'lane_id id loggi_key seq enqueued_at traceparent',
  }),
  webhook_requests: classesOf('webhook_requests', { kept: 'lane_id id webhook_id' }),
  webhook_catch_ups: classesOf('webhook_catch_ups', {
    kept: 'id endpoint_id kind since until known timeline from_changed after_changed after_key awaited turn_at ended_at',
  }),
  endpoint_budgets: classesOf('endpoint_budgets', { kept: 'endpoint_id action window_started_at used' }),
  webhook_deliveries: classesOf('webhook_deliveries', {
    kept: 'webhook_id endpoint_id lane_id kind members package_count attempts_before created_at dead_at retain_from traceparents',
    account: { body: rowGone },
    recipient: { body: rewritten },
  }),
  webhook_attempts: classesOf('webhook_attempts', {
    kept: 'id webhook_id endpoint_id number replay attempted_at duration_ms outcome status_code lease_lost',
    account: { response_body: rowGone, error: rowGone },
    recipient: { response_body: null },
  }),
} as const satisfies AllClasses;
