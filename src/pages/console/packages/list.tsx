import { packageTexts as texts } from '../../texts.js';
import { DateText, Time } from '../../times.js';
import { Choice, LinkLine } from '../components.js';
import { show } from '../frame.js';
import { type Column, Listing, pageQuery } from '../lists.js';
import { dataOf, type Schemas } from '../operations.js';
import type { Visit } from '../visit.js';

export type TrackedPackage = Schemas['TrackedPackage'];

export const statusText = ({ code, high_level_status: name }: TrackedPackage['status']): string => `${code} ${name}`;

export const placeText = (place: { city: string; state: string } | null | undefined): string | undefined =>
  place ? `${place.city} – ${place.state}` : undefined;

export const packageColumns: readonly Column<TrackedPackage>[] = [
  [
    texts.trackingCode,
    ({ loggi_key, tracking_code }) => <a href={`/console/packages/${loggi_key}`}>{tracking_code}</a>,
  ],
  [texts.status, ({ status }) => statusText(status)],
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
  const [status, which, userId, orderId] = ['status_code', 'which', 'user_id', 'order_id'].map(asked);
  const stuckSince =
    asked('stuck_since') ?? (which === 'stuck' ? new Date(now.getTime() - STUCK_MS).toISOString() : undefined);
  return {
    ...(status !== undefined && /^\d{1,5}$/.test(status) && { status_code: Number(status) }),
    ...((which === 'open' || asked('open') === 'true') && { open: true }),
    ...((which === 'late' || asked('late') === 'true') && { late: true }),
    ...(stuckSince !== undefined && { stuck_since: stuckSince }),
    ...(userId !== undefined && { user_id: userId }),
    ...(orderId !== undefined && { order_id: orderId }),
  };
}

export async function showPackages(visit: Visit): Promise<void> {
  const { operator } = visit;
  const filters = filtersOf(visit);
  const query = { ...filters, ...pageQuery(visit) };
  const [statuses, packages] = await Promise.all([
    statusOptions(visit),
    dataOf(operator.GET('/operator/v1/packages', { params: { query } })),
  ]);
  const which = filters.late ? 'late' : filters.stuck_since ? 'stuck' : filters.open ? 'open' : '';
  const status = String(filters.status_code ?? '');
  const whichOptions = [['', texts.every], ...kinds.map((kind) => [kind, texts[kind]] as const)] as const;
  const fields = (
    <>
      <Choice name="status_code" label={texts.status} value={status} options={[['', texts.anyStatus], ...statuses]} />
      <Choice name="which" label={texts.which} value={which} options={whichOptions} />
    </>
  );
  show(
    visit,
    texts.packages,
    <>
      <LinkLine href="/console/movements/import" text={texts.importMovements} />
      <Listing caption={texts.packages} columns={packageColumns} list={packages} filters={fields} />
    </>,
  );
}
