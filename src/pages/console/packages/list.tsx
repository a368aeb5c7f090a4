import { Choice } from '../../design/forms.js';
import { LinkLine } from '../../design/pieces.js';
import type { Column } from '../../design/tables.js';
import { addressText, OrderChip, orderStages, placeText, StatusChip, statusTitle } from '../../parcel/words.js';
import type { Schemas } from '../../session/operations.js';
import { asked, askedOf, type Visit } from '../../session/visit.js';
import { stages, packageTexts as texts } from '../../texts.js';
import { DateText, Money, Time } from '../../times.js';
import { Named, type Names, namesOf } from '../names.js';
import { listRoutes } from './listed.js';

export type TrackedPackage = Schemas['TrackedPackage'];

export const packageColumns: readonly Column<TrackedPackage>[] = [
  [texts.tracking_code, ({ loggi_key: key, tracking_code: code }) => <a href={`/console/packages/${key}`}>{code}</a>],
  [texts.status, ({ status }) => <StatusChip {...{ status }} />],
  [texts.since, ({ status }) => <Time at={status.updated_at} />],
  [texts.recipient, ({ recipient }) => recipient.name],
  [texts.promised, ({ promised_date: date }) => <DateText at={date} />],
  [texts.location, ({ location }) => placeText(location)],
];

/** The whole catalogue of statuses, as the options of a field. */
export async function statusOptions(visit: Visit): Promise<(readonly [value: string, name: string])[]> {
  const { data } = await visit.ask('GET /operator/v1/package-statuses', { query: { page_size: 100 } });
  return data.map((status) => [String(status.code), statusTitle(visit, status)]);
}

const STUCK_MS = 3 * 86_400_000;

const kinds = ['open', 'late', 'stuck'] as const;

/** The parameters of the operation, by the filter's form or by a link. */
function packageFilters(visit: Visit) {
  const [status, which] = [asked(visit, 'status_code'), asked(visit, 'which')];
  const threeDaysAgo = which === 'stuck' ? new Date(visit.now.getTime() - STUCK_MS).toISOString() : '';
  return {
    status_code: /^\d{1,5}$/.test(status) ? Number(status) : undefined,
    open: which === 'open' || asked(visit, 'open') === 'true' || undefined,
    late: which === 'late' || asked(visit, 'late') === 'true' || undefined,
    stuck_since: asked(visit, 'stuck_since') || threeDaysAgo,
    order_id: asked(visit, 'order_id'),
  };
}

async function packageFields(visit: Visit) {
  const { late, stuck_since, open, status_code } = packageFilters(visit);
  const which = late ? 'late' : stuck_since ? 'stuck' : open ? 'open' : '';
  const whichOptions = [['', texts.every], ...kinds.map((kind) => [kind, texts[kind]] as const)] as const;
  const options = [['', texts.anyStatus], ...(await statusOptions(visit))] as const;
  return (
    <>
      <Choice name="status_code" label={texts.status} value={String(status_code ?? '')} options={options} />
      <Choice name="which" label={texts.which} value={which} options={whichOptions} />
    </>
  );
}

export const packageList = listRoutes<TrackedPackage>({
  path: '/console/packages',
  title: texts.packages,
  read: (visit, query) => visit.ask('GET /operator/v1/packages', { query: { ...packageFilters(visit), ...query } }),
  columnsOf: async () => packageColumns,
  filtersOf: packageFields,
  above: <LinkLine href="/console/movements/import" text={texts.importMovements} />,
  cells: {
    tracking_code: ({ tracking_code: code }) => code,
    barcode: ({ barcode }) => barcode,
    status_code: ({ status }) => status.code,
    status: ({ status }) => status.high_level_status,
    since: ({ status }) => status.updated_at,
    recipient: ({ recipient }) => recipient.name,
    phone: ({ recipient }) => recipient.phone,
    address: ({ address }) => addressText(address),
    promised_date: ({ promised_date: date }) => date,
    location: ({ location }) => placeText(location),
    order_id: ({ order_id: id }) => id,
    user_id: ({ user_id: id }) => id,
    created_at: ({ created_at: at }) => at,
  },
});

type Summary = Schemas['OrderSummary'];

const orderColumns = (names: Names): readonly Column<Summary>[] => [
  [texts.order, ({ id }) => <Named {...{ id, names }} />],
  [texts.account, ({ user_id: id }) => <Named {...{ id, names }} />],
  [texts.status, ({ status }) => <OrderChip {...{ status }} />],
  [texts.packages, ({ package_count: count }) => count, 'number'],
  [texts.total, ({ total }) => <Money amount={total} />, 'number'],
  [texts.created, ({ created_at: at }) => <Time at={at} />],
];

const orderFilters = (visit: Visit) => ({
  status: askedOf(visit, 'status', orderStages),
  open: asked(visit, 'status') === 'open' || undefined,
});

async function orderFields(visit: Visit) {
  const words = Object.entries(stages);
  const options = [['', texts.anyStatus], ['open', texts.open], ...words] as const;
  return <Choice name="status" label={texts.status} value={asked(visit, 'status')} options={options} />;
}

export const orderList = listRoutes<Summary>({
  path: '/console/orders',
  title: texts.orders,
  read: (visit, query) => visit.ask('GET /operator/v1/orders', { query: { ...orderFilters(visit), ...query } }),
  columnsOf: async (visit, rows) => {
    const ids = rows.flatMap(({ id, user_id: user }) => [id, user]);
    return orderColumns(await namesOf(visit, ids));
  },
  filtersOf: orderFields,
  cells: {
    id: ({ id }) => id,
    external_id: ({ external_id: id }) => id,
    user_id: ({ user_id: id }) => id,
    status: ({ status }) => status,
    packages: ({ package_count: count }) => count,
    total: ({ total }) => total.replace('.', ','),
    created_at: ({ created_at: at }) => at,
  },
});
