import type { Dimensions } from '../base/dimensions.js';
import { newId, newIdBeside } from '../base/ids.js';
import type { Centavos } from '../base/money.js';
import type { Place, Waypoint } from '../base/place.js';
import type { KeyRing } from '../base/secrets/keys.js';
import type { TraceParent } from '../base/telemetry/tracing.js';
import { type FieldsOf, filler, viewer } from '../base/views.js';
import { definitionOf, namesOf } from '../db/columns.js';
import type { OrderStatus } from '../db/tables/database.js';
import type { PublicTitle } from '../db/tables/movements.js';
import { type Attempts, attemptsOf, type Expected } from './attempts.js';
import { REOPENED } from './catalogue.js';
import type { PackageCodes } from './codes.js';
import { type ActionRequired, factsBody, type Location, type PickupAgency, toFacts } from './movement.js';
import { type ContentRow, contentColumns, type PackageRow } from './package-rows.js';
import { newSealedPin } from './proof/pins.js';
import { documentOf, type FiscalDocument, type Recipient, recipientOf } from './recipient.js';
import { type Sender, type Stop, stopRow, toPlace, toSender, toStopAddress, toWaypoint } from './stop.js';

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
  /** `YYYY-MM-DD`: the day of the first delivery attempt, in America/Sao_Paulo. */
  promisedDate: string;
  declaredCentavos: Centavos | null;
  /** `YYYY-MM-DD`: the first and the last day for the delivery. Null if the order has none. */
  deliverFrom: string | null;
  deliverBy: string | null;
  /** The package's share of the order's line-haul. Null if it goes by courier. */
  lineHaulCentavos: Centavos | null;
  /** Road metres from the pickup to the delivery. Null if an earlier release planned the package. */
  directMetres: number | null;
  /** The account's own name of the package. */
  reference: string | null;
  /** The sender at its pickup. */
  sender: Sender | null;
}

export interface NewPackage extends PackageContent {
  directMetres: number;
  origin: Location;
  hasPin: boolean;
}

export interface PackageStatus {
  code: number;
  /** The name in the catalogue. The contracts call it `highLevelStatus`. */
  name: string;
  description: string;
  title: PublicTitle | null;
  /** From the catalogue: `final` ends the package's way, `stage` is its meaning for the order. */
  final: boolean;
  stage: OrderStatus;
  since: Date;
  actionRequired: ActionRequired | null;
  pickupAgency: PickupAgency | null;
  /** True if the status came back because the final status after it was taken back. */
  isReopening: boolean;
}

/** A status with the names of interfaces A and D. */
export const statusBody = (status: PackageStatus) => ({
  code: status.code,
  high_level_status: status.name,
  description: status.description,
  public_title: status.title ?? undefined,
  final: status.final,
  stage: status.stage,
  updated_at: status.since.toISOString(),
  reopened: status.isReopening || undefined,
  ...factsBody(status),
});

export interface Package extends PackageContent {
  loggiKey: string;
  accountId: string;
  orderId: string;
  trackingCode: string;
  barcode: string;
  /** Number of the valid tracking link, from 0. Null if no link is valid. */
  trackingLink: number | null;
  status: PackageStatus;
  location: Location | null;
  attempts: Attempts | null;
  /** Hours in which the delivery is expected, until the next status. */
  expected: Expected | null;
  seq: number;
  returnedBy: string | null;
  createdAt: Date;
  /** The sealed PIN (proof/pins.ts). Null for a package without a PIN, and after a final status. */
  sealedPin: Buffer | null;
}

export const contentColumnNames = namesOf(Object.keys(contentColumns));

export interface NewPackageRow extends ContentRow {
  order_id: string;
  movement_id: string;
  origin_city: string;
  origin_state: string;
  traceparent?: TraceParent;
  /** The sealed PIN in hex. Absent if the package has no PIN. */
  pin?: string;
  /** Absent if the package has no reference. */
  reference?: string;
}

export const newPackageDefinition = `${definitionOf(contentColumns)}, order_id uuid, movement_id uuid, origin_city text, origin_state text, traceparent text`;

/** Makes a row; `keys` seal its PIN. The spread comes last, because V8 makes such a row many times faster. */
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
    deliver_from: added.deliverFrom,
    deliver_by: added.deliverBy,
    origin_city: added.origin.city,
    origin_state: added.origin.state,
    ...stopRow(added),
  };
  if (added.reference !== null) row.reference = added.reference;
  if (added.hasPin) row.pin = newSealedPin(keys, loggiKey).toString('hex');
  return row;
}

export const sealedPinOf = ({ pin }: { pin?: string | null }): Buffer | null => (pin ? Buffer.from(pin, 'hex') : null);

/** The number of the valid link, from the column (migration 0015). */
const validLink = (column: number | null): number | null => (column !== null && column < 0 ? null : (column ?? 0));

const packageFields: FieldsOf<PackageRow, Package> = {
  address: toStopAddress,
  place: toPlace,
  waypoint: toWaypoint,
  loggiKey: ({ loggi_key }) => loggi_key,
  accountId: ({ account_id }) => account_id,
  orderId: ({ order_id }) => order_id,
  pickupIndex: ({ pickup_position }) => pickup_position,
  pickupPlace: ({ pickup }) => toPlace(pickup),
  pickupWaypoint: ({ pickup }) => toWaypoint(pickup),
  trackingCode: ({ tracking_code }) => tracking_code,
  barcode: ({ barcode }) => barcode,
  trackingLink: ({ tracking_link }) => validLink(tracking_link),
  recipient: recipientOf,
  dimensions: ({ width, height, length, weight }) => ({ width, height, length, weight }),
  instructions: ({ instructions }) => instructions ?? undefined,
  items: ({ items }) => items,
  fiscalDocument: documentOf,
  status: (row) => {
    const { actionRequired, pickupAgency, isReopening } = toFacts(row);
    return {
      code: row.status_code,
      name: row.status_name,
      description: isReopening ? REOPENED : row.status_description,
      title: row.status_title,
      final: row.status_final,
      stage: row.status_stage,
      since: new Date(row.status_since),
      actionRequired,
      pickupAgency,
      isReopening,
    };
  },
  location: (row) => toFacts(row).location,
  attempts: attemptsOf,
  expected: (row) => toFacts(row).expected,
  promisedDate: ({ promised_date }) => promised_date,
  declaredCentavos: ({ declared_centavos }) => declared_centavos,
  lineHaulCentavos: ({ line_haul_centavos }) => line_haul_centavos,
  directMetres: ({ direct_metres }) => direct_metres,
  deliverFrom: ({ deliver_from }) => deliver_from,
  deliverBy: ({ deliver_by }) => deliver_by,
  reference: ({ reference }) => reference,
  sender: ({ pickup }) => toSender(pickup),
  seq: ({ seq }) => seq,
  returnedBy: ({ returned_by }) => returned_by,
  createdAt: ({ created_at }) => new Date(created_at),
  sealedPin: sealedPinOf,
};

export const toPackage = filler(packageFields);

/** Makes a package of a row that may lack parts. It lacks the fields of these parts. */
export const packageView = viewer(packageFields);
