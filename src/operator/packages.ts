import { notFound } from '../base/errors.js';
import { listBody, pageOf } from '../http/paging.js';
import type { ActionRequired, Facts, PickupAgency } from '../packages/movement.js';
import type { Package, PackageStatus } from '../packages/package.js';
import { getPackage, type HistoryEntry, historyOf, listPackages, type PackageFilters } from '../packages/queries.js';
import type { OperatorDeps, OperatorHandlers, Schemas } from './deps.js';

type PackageOperation = 'listPackages' | 'getPackage' | 'listMovements';

export const packagesHandlers = ({ db }: OperatorDeps): OperatorHandlers<PackageOperation> => ({
  listPackages: async ({ query }) => {
    const page = pageOf(query);
    return { status: 200, body: listBody(await listPackages(db, filtersOf(query), page), page, toTrackedPackage) };
  },

  getPackage: async ({ params, ctx }) => {
    const found = await getPackage(db, ctx.actor, params.loggi_key);
    if (!found) throw notFound('package');
    return { status: 200, body: toTrackedPackage(found) };
  },

  listMovements: async ({ params, query }) => {
    const page = pageOf(query);
    const history = await historyOf(db, params.loggi_key, page);
    // A package begins with a movement, so that one without any is none.
    if (history.total === 0) throw notFound('package');
    return { status: 200, body: listBody(history, page, toMovement) };
  },
});

interface FilterQuery {
  user_id?: string;
  order_id?: string;
  status_code?: number;
  tracking_code?: string;
  barcode?: string;
}

const filtersOf = ({ user_id, order_id, status_code, tracking_code, barcode }: FilterQuery): PackageFilters => ({
  ...(user_id !== undefined && { accountId: user_id }),
  ...(order_id !== undefined && { orderId: order_id }),
  ...(status_code !== undefined && { statusCode: status_code }),
  ...(tracking_code !== undefined && { trackingCode: tracking_code }),
  ...(barcode !== undefined && { barcode }),
});

const toTrackedPackage = (found: Package): Schemas['TrackedPackage'] => ({
  loggi_key: found.loggiKey,
  user_id: found.accountId,
  order_id: found.orderId,
  tracking_code: found.trackingCode,
  barcode: found.barcode,
  recipient: found.recipient,
  address: found.address,
  status: toStatus(found.status),
  ...(found.location && { location: found.location }),
  promised_date: found.promisedDate,
  movement_count: found.seq,
  created_at: found.createdAt.toISOString(),
});

const toStatus = (status: PackageStatus): Schemas['PackageStatus'] => ({
  code: status.code,
  high_level_status: status.name,
  description: status.description,
  ...toFacts(status),
  updated_at: status.since.toISOString(),
});

const toMovement = (entry: HistoryEntry): Schemas['Movement'] => ({
  id: entry.id,
  status_code: entry.statusCode,
  high_level_status: entry.statusName,
  happened_at: entry.happenedAt,
  recorded_at: entry.recordedAt,
  ...(entry.location && { location: entry.location }),
  ...toFacts(entry),
});

const toFacts = ({ actionRequired, pickupAgency }: Pick<Facts, 'actionRequired' | 'pickupAgency'>) => ({
  ...(actionRequired && { action_required: toActionRequired(actionRequired) }),
  ...(pickupAgency && { pickup_agency: toPickupAgency(pickupAgency) }),
});

const toActionRequired = (action: ActionRequired): Schemas['ActionRequired'] => ({
  reason_label: action.reasonLabel,
  reason_description: action.reasonDescription,
});

const toPickupAgency = ({ postalCode, ...agency }: PickupAgency): Schemas['PickupAgency'] => ({
  ...agency,
  postal_code: postalCode,
});
