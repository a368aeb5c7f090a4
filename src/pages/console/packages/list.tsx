import { Choice, DateText, Time } from '../components.js';
import { show } from '../frame.js';
import { type Column, Listing, pageQuery } from '../lists.js';
import { dataOf, type Schemas } from '../operations.js';
import type { Visit } from '../visit.js';
import { texts } from './texts.js';

export type TrackedPackage = Schemas['TrackedPackage'];

export const packageColumns = (visit: Visit): Column<TrackedPackage>[] => [
  {
    heading: texts.trackingCode,
    cell: ({ loggi_key, tracking_code }) => <a href={`/console/packages/${loggi_key}`}>{tracking_code}</a>,
  },
  { heading: texts.status, cell: ({ status }) => `${status.code} ${status.high_level_status}` },
  { heading: texts.since, cell: ({ status }) => <Time visit={visit} at={status.updated_at} /> },
  { heading: texts.recipient, cell: ({ recipient }) => recipient.name },
  { heading: texts.promised, cell: ({ promised_date: date }) => <DateText visit={visit} date={date} /> },
  { heading: texts.location, cell: ({ location }) => location && `${location.city} – ${location.state}` },
];

/** The whole catalogue of statuses. */
export async function catalogue({ operator }: Visit): Promise<Schemas['CatalogueStatus'][]> {
  const query = { page_size: 100 };
  return (await dataOf(operator.GET('/operator/v1/package-statuses', { params: { query } }))).data;
}

const STUCK_MS = 3 * 86_400_000;

const kinds = ['open', 'late', 'stuck'] as const;

/** What the filter's form, or a link, asks for, as the parameters of the operation. */
function filtersOf({ url, now }: Visit) {
  const asked = (name: string) => url.searchParams.get(name) || undefined;
  const status = asked('status_code');
  const stuckSince =
    asked('stuck_since') ?? (asked('which') === 'stuck' ? new Date(now.getTime() - STUCK_MS).toISOString() : undefined);
  const userId = asked('user_id');
  const orderId = asked('order_id');
  return {
    ...(status !== undefined && /^\d{1,5}$/.test(status) && { status_code: Number(status) }),
    ...((asked('which') === 'open' || asked('open') === 'true') && { open: true }),
    ...((asked('which') === 'late' || asked('late') === 'true') && { late: true }),
    ...(stuckSince !== undefined && { stuck_since: stuckSince }),
    ...(userId !== undefined && { user_id: userId }),
    ...(orderId !== undefined && { order_id: orderId }),
  };
}

/** `GET /console/packages` */
export async function showPackages(visit: Visit): Promise<void> {
  const { operator, say } = visit;
  const filters = filtersOf(visit);
  const query = { ...filters, ...pageQuery(visit) };
  const [statuses, packages] = await Promise.all([
    catalogue(visit),
    dataOf(operator.GET('/operator/v1/packages', { params: { query } })),
  ]);
  const which = filters.late ? 'late' : filters.stuck_since ? 'stuck' : filters.open ? 'open' : '';
  show(
    visit,
    say(texts.packages),
    <>
      <p>
        <a href="/console/movements/import">{say(texts.importMovements)}</a>
      </p>
      <Listing
        visit={visit}
        caption={texts.packages}
        columns={packageColumns(visit)}
        list={packages}
        filters={
          <>
            <Choice
              visit={visit}
              name="status_code"
              label={texts.status}
              value={String(filters.status_code ?? '')}
              options={[
                { value: '', text: say(texts.anyStatus) },
                ...statuses.map(({ code, high_level_status: name }) => ({
                  value: String(code),
                  text: `${code} ${name}`,
                })),
              ]}
            />
            <Choice
              visit={visit}
              name="which"
              label={texts.which}
              value={which}
              options={[
                { value: '', text: say(texts.every) },
                ...kinds.map((kind) => ({ value: kind, text: say(texts[kind]) })),
              ]}
            />
          </>
        }
      />
    </>,
  );
}
