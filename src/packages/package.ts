import type { Dimensions } from '../base/dimensions.js';
import { newId, newIdBeside } from '../base/ids.js';
import type { KeyRing } from '../base/keys.js';
import type { Centavos } from '../base/money.js';
import type { Place, Waypoint } from '../base/place.js';
import type { TraceParent } from '../base/tracing.js';
import { definitionOf, type JsonRow, namesOf, type SqlTypes } from '../db/columns.js';
import type { OrderStatus, Packages } from '../db/tables/database.js';
import type { PackageCodes } from './codes.js';
import {
  type ActionRequired,
  FACT_COLUMNS,
  type Location,
  type MovementFacts,
  type PickupAgency,
  toFacts,
} from './movement.js';
import { newSealedPin } from './proof/pins.js';
import { documentOf, type FiscalDocument, type Recipient, recipientOf } from './recipient.js';
import { type PlacedRow, placedRow, type Stop, stopColumns, stopRow, toAddress, toPlace, toWaypoint } from './stop.js';

export interface PackageItem {
  productId: string;
  quantity: number;
}

interface PackageContent extends Stop {
  pickupIndex: number;
  pickupPlace: Place;
  pickupWaypoint: Waypoint;
  recipient: Recipient;
  dimensions: Dimensions;
  items: PackageItem[] | null;
  fiscalDocument: FiscalDocument | null;
  /** YYYY-MM-DD: the first delivery attempt, in America/Sao_Paulo. */
  promisedDate: string;
  declaredCentavos: Centavos | null;
  /** Its part of the order's line-haul; null for one that goes by courier. */
  lineHaulCentavos: Centavos | null;
  /** Road metres from its pickup to its delivery; null where an earlier release planned it. */
  directMetres: number | null;
}

export interface NewPackage extends PackageContent {
  directMetres: number;
  origin: Location;
  hasPin: boolean;
}

export interface PackageStatus {
  code: number;
  /** The catalogue's name, `highLevelStatus` to the outside. */
  name: string;
  description: string;
  /** The catalogue's: whether the package's way ends here, and `stage`, what that means for the order. */
  final: boolean;
  stage: OrderStatus;
  since: Date;
  actionRequired: ActionRequired | null;
  pickupAgency: PickupAgency | null;
}

export interface Package extends PackageContent {
  loggiKey: string;
  accountId: string;
  orderId: string;
  trackingCode: string;
  barcode: string;
  /** Number of the valid tracking link, from 0; null while no link is valid. */
  trackingLink: number | null;
  status: PackageStatus;
  location: Location | null;
  seq: number;
  returnedBy: string | null;
  createdAt: Date;
  /** Its PIN (proof/pins.ts); null without one, and after a final status. */
  sealedPin: Buffer | null;
}

const contentColumns = {
  loggi_key: 'uuid',
  position: 'smallint',
  pickup_position: 'smallint',
  tracking_code: 'text',
  barcode: 'text',
  recipient_name: 'text',
  recipient_phone: 'text',
  recipient_tax_id: 'text',
  fiscal_kind: 'text',
  fiscal_key: 'text',
  fiscal_reason: 'text',
  width: 'double precision',
  height: 'double precision',
  length: 'double precision',
  weight: 'double precision',
  items: 'jsonb',
  promised_date: 'date',
  declared_centavos: 'integer',
  line_haul_centavos: 'bigint',
  direct_metres: 'integer',
  ...stopColumns,
} as const satisfies SqlTypes<Packages>;

type ContentRow = Omit<JsonRow<Pick<Packages, keyof typeof contentColumns>>, 'line_haul_centavos'> & {
  line_haul_centavos: number | null;
};

export const contentColumnNames = namesOf(Object.keys(contentColumns));

export interface NewPackageRow extends ContentRow {
  order_id: string;
  movement_id: string;
  origin_city: string;
  origin_state: string;
  traceparent?: TraceParent;
  /** Sealed, in hex; absent where the package has none. */
  pin?: string;
}

export const newPackageDefinition = `${definitionOf(contentColumns)}, order_id uuid, movement_id uuid, origin_city text, origin_state text, traceparent text`;

/** Makes a row; `keys` seal its PIN. The spread comes last: V8 makes such a row many times faster. */
export function newPackageRow(
  orderId: string,
  added: NewPackage,
  position: number,
  { trackingCode, barcode }: PackageCodes,
  keys: KeyRing,
): NewPackageRow {
  const { width, height, length, weight } = added.dimensions;
  const loggiKey = newIdBeside(orderId, position);
  const row: NewPackageRow = {
    order_id: orderId,
    loggi_key: loggiKey,
    movement_id: newId(),
    position,
    pickup_position: added.pickupIndex,
    tracking_code: trackingCode,
    barcode,
    recipient_name: added.recipient.name,
    recipient_phone: added.recipient.phone,
    recipient_tax_id: added.recipient.taxId ?? null,
    fiscal_kind: added.fiscalDocument?.kind ?? null,
    fiscal_key: added.fiscalDocument?.key ?? null,
    fiscal_reason: added.fiscalDocument?.reason ?? null,
    width,
    height,
    length,
    weight,
    items: added.items,
    promised_date: added.promisedDate,
    declared_centavos: added.declaredCentavos,
    line_haul_centavos: added.lineHaulCentavos,
    direct_metres: added.directMetres,
    origin_city: added.origin.city,
    origin_state: added.origin.state,
    ...stopRow(added),
  };
  if (added.hasPin) row.pin = newSealedPin(keys, loggiKey).toString('hex');
  return row;
}

export const sealedPinOf = ({ pin }: { pin?: string | null }): Buffer | null => (pin ? Buffer.from(pin, 'hex') : null);

type StateRow = JsonRow<
  Pick<Packages, 'account_id' | 'order_id' | 'seq' | 'status_code' | 'status_since' | 'created_at' | 'tracking_link'>
>;

export interface PackageRow extends ContentRow, StateRow, MovementFacts {
  status_name: string;
  status_description: string;
  status_final: boolean;
  status_stage: OrderStatus;
  pickup: PlacedRow;
  returned_by: string | null;
  pin: string | null;
}

/**
 * Rows for toPackage, from tables `p` (packages), `m` (the current movement), `s` (its status) and `u` (the pickup),
 * alone or gathered by order. A condition keeps the columns of `packageIds` near the ids that are read.
 */
export const packageRows = `
  select
    ${namesOf(Object.keys(contentColumns), 'p')}, p.account_id, p.order_id, p.seq, p.status_code, p.status_since, p.created_at,
    p.tracking_link,
    s.name as status_name, s.description as status_description, s.final as status_final, s.stage as status_stage,
    ${FACT_COLUMNS},
    ${placedRow('u')} as pickup,
    (select r.order_id from package_returns r where r.loggi_key = p.loggi_key order by r.order_id desc limit 1) as returned_by,
    case when not s.final then (select encode(pin, 'hex') from delivery_pins where loggi_key = p.loggi_key) end as pin
  from packages p
  join package_statuses s on s.code = p.status_code
  join movements m on m.loggi_key = p.loggi_key and m.id = p.current_movement_id
  join pickups u on u.order_id = p.order_id and u.position = p.pickup_position`;

export const packageIds = ['p.loggi_key', 'm.loggi_key', 'u.order_id'] as const;

/** The number that the column stands for (migration 0015). */
const validLink = (column: number | null): number | null => (column !== null && column < 0 ? null : (column ?? 0));

/** Field by field: an object of this size that begins with a spread costs many times as much. */
export function toPackage(row: PackageRow): Package {
  const { width, height, length, weight, instructions, pickup } = row;
  const { location, actionRequired, pickupAgency } = toFacts(row);
  const result: Package = {
    address: toAddress(row),
    place: toPlace(row),
    waypoint: toWaypoint(row),
    loggiKey: row.loggi_key,
    accountId: row.account_id,
    orderId: row.order_id,
    pickupIndex: row.pickup_position,
    pickupPlace: toPlace(pickup),
    pickupWaypoint: toWaypoint(pickup),
    trackingCode: row.tracking_code,
    barcode: row.barcode,
    trackingLink: validLink(row.tracking_link),
    recipient: recipientOf(row),
    dimensions: { width, height, length, weight },
    items: row.items,
    fiscalDocument: documentOf(row),
    status: {
      code: row.status_code,
      name: row.status_name,
      description: row.status_description,
      final: row.status_final,
      stage: row.status_stage,
      since: new Date(row.status_since),
      actionRequired,
      pickupAgency,
    },
    location,
    promisedDate: row.promised_date,
    declaredCentavos: row.declared_centavos,
    lineHaulCentavos: row.line_haul_centavos === null ? null : Number(row.line_haul_centavos),
    directMetres: row.direct_metres,
    seq: row.seq,
    returnedBy: row.returned_by,
    createdAt: new Date(row.created_at),
    sealedPin: sealedPinOf(row),
  };
  if (instructions !== null) result.instructions = instructions;
  return result;
}
