import { Chip, Choice, type Column, LinkLine, Listing, pageQuery, stageOf } from '../../design/index.js';
import { dataOf, type Schemas } from '../../session/operations.js';
import type { Visit } from '../../session/visit.js';
import { packageTexts as texts } from '../../texts.js';
import { DateText, Time } from '../../times.js';
import { show } from '../frame.js';
import { type Cells, EXPORT_PAGE, sendCsv } from './export.js';
import { CommonFields, commonQuery } from './filters.js';

export type TrackedPackage = Schemas['TrackedPackage'];

export const StatusChip = (status: TrackedPackage['status']) => (
  <Chip stage={stageOf(status)} text={status.high_level_status} lang="pt-BR" />
);

export const placeText = (place: { city: string; state: string } | null | undefined): string | undefined =>
  place ? `${place.city} – ${place.state}` : undefined;

export const addressText = ({ address, complement }: Schemas['TrackedPackage']['address']): string =>
  [address, complement].filter(Boolean).join(', ');

export const packageColumns: readonly Column<TrackedPackage>[] = [
  [
    texts.trackingCode,
    ({ loggi_key, tracking_code }) => <a href={`/console/packages/${loggi_key}`}>{tracking_code}</a>,
  ],
  [texts.status, ({ status }) => <StatusChip {...status} />],
  [texts.since, ({ status }) => <Time at={status.updated_at} />],
  [texts.recipient, ({ recipient }) => recipient.name],
  [texts.promised, ({ promised_date: date }) => <DateText at={date} />],
  [texts.location, ({ location }) => placeText(location)],
];

/** The whole catalogue of statuses, as the options of a field. */
export async function statusOptions({ operator }: Visit): Promise<(readonly [value: string, name: string])[]> {
  const query = { page_size: 100 };
  const { data } = await dataOf(operator.GET('/operator/v1/package-statuses', { params: { query } }));
  return data.map(({ code, high_level_status: name }) => [String(code), `${code} ${name}`]);
}

const STUCK_MS = 3 * 86_400_000;

const kinds = ['open', 'late', 'stuck'] as const;

/** The parameters of the operation, by the filter's form or by a link. */
function filtersOf({ url, now }: Visit) {
  const asked = (name: string) => url.searchParams.get(name) || undefined;
  const [status, which, orderId] = ['status_code', 'which', 'order_id'].map(asked);
  const stuckSince =
    asked('stuck_since') ?? (which === 'stuck' ? new Date(now.getTime() - STUCK_MS).toISOString() : undefined);
  return {
    ...(status !== undefined && /^\d{1,5}$/.test(status) && { status_code: Number(status) }),
    ...((which === 'open' || asked('open') === 'true') && { open: true }),
    ...((which === 'late' || asked('late') === 'true') && { late: true }),
    ...(stuckSince !== undefined && { stuck_since: stuckSince }),
    ...(orderId !== undefined && { order_id: orderId }),
  };
}

const none = { data: [], pagination: { page: 1, page_size: 1, total_items: 0, total_pages: 0 } };

/** Reads the list that the filters ask for. */
async function readerOf(visit: Visit) {
  const common = await commonQuery(visit);
  return async (paging: { page?: number; page_size?: number }) => {
    const query = { ...filtersOf(visit), ...common, ...paging };
    return common ? dataOf(visit.operator.GET('/operator/v1/packages', { params: { query } })) : none;
  };
}

export async function showPackages(visit: Visit): Promise<void> {
  const filters = filtersOf(visit);
  const read = await readerOf(visit);
  const [statuses, packages] = await Promise.all([statusOptions(visit), read(pageQuery(visit))]);
  const which = filters.late ? 'late' : filters.stuck_since ? 'stuck' : filters.open ? 'open' : '';
  const status = String(filters.status_code ?? '');
  const whichOptions = [['', texts.every], ...kinds.map((kind) => [kind, texts[kind]] as const)] as const;
  const fields = (
    <>
      <CommonFields />
      <Choice name="status_code" label={texts.status} value={status} options={[['', texts.anyStatus], ...statuses]} />
      <Choice name="which" label={texts.which} value={which} options={whichOptions} />
    </>
  );
  show(
    visit,
    texts.packages,
    <>
      <LinkLine href="/console/movements/import" text={texts.importMovements} />
      <Listing caption={texts.packages} columns={packageColumns} list={packages} filters={fields}>
        <LinkLine href={`/console/packages.csv${visit.url.search}`} text={texts.asCsv} />
      </Listing>
    </>,
  );
}

const cells: Cells<TrackedPackage> = {
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
};

export async function sendPackages(visit: Visit): Promise<void> {
  const read = await readerOf(visit);
  await sendCsv(visit, 'packages', cells, (page) => read({ page, page_size: EXPORT_PAGE }));
}
