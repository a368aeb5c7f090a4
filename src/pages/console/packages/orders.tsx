import type { components } from '../../../../generated/rest.js';
import { Chip, Choice, type Column, LinkLine, Listing, pageQuery, useVisit } from '../../design/index.js';
import { dataOf } from '../../session/operations.js';
import type { Visit } from '../../session/visit.js';
import { orderStatuses, stages, packageTexts as texts } from '../../texts.js';
import { Money, Time } from '../../times.js';
import { show } from '../frame.js';
import { Named, type Names, namesOf } from '../names.js';
import { type Cells, EXPORT_PAGE, sendCsv } from './export.js';
import { CommonFields, commonQuery } from './filters.js';

type Summary = components['schemas']['OrderSummary'];

const statuses = ['created', 'processing', 'out_for_delivery', 'completed', 'cancelled'] as const;

const columnsWith = (names: Names): readonly Column<Summary>[] => [
  [texts.order, ({ id }) => <Named {...{ id, names }} />],
  [texts.account, ({ user_id: id }) => <Named {...{ id, names }} />],
  [texts.status, ({ status }) => <OrderChip {...{ status }} />],
  [texts.packages, ({ package_count: count }) => count, 'number'],
  [texts.total, ({ total }) => <Money amount={total} />, 'number'],
  [texts.created, ({ created_at: at }) => <Time at={at} />],
];

function OrderChip({ status }: Pick<Summary, 'status'>) {
  const { say } = useVisit();
  return <Chip stage={status} text={say(stages[status] ?? texts.status)} />;
}

const none = { data: [], pagination: { page: 1, page_size: 1, total_items: 0, total_pages: 0 } };

/** The list as its filter asks for it. */
async function listBy(visit: Visit) {
  const status = statuses.find((each) => each === visit.url.searchParams.get('status'));
  const isOpen = visit.url.searchParams.get('status') === 'open';
  const common = await commonQuery(visit);
  const filters = { ...common, ...(status && { status }), ...(isOpen && { open: true }) };
  const read = async (paging: { page?: number; page_size?: number }) => {
    if (!common) return none;
    return dataOf(visit.operator.GET('/operator/v1/orders', { params: { query: { ...filters, ...paging } } }));
  };
  return { status: isOpen ? 'open' : (status ?? ''), read };
}

export async function showOrders(visit: Visit): Promise<void> {
  const { status, read } = await listBy(visit);
  const list = await read(pageQuery(visit));
  const names = await namesOf(
    visit,
    list.data.flatMap(({ id, user_id: user }) => [id, user]),
  );
  const options = statuses.map((each) => [each, orderStatuses[each] ?? each] as const);
  const filters = (
    <>
      <CommonFields />
      <Choice
        name="status"
        label={texts.status}
        value={status}
        options={[['', texts.anyStatus], ['open', texts.open], ...options]}
      />
    </>
  );
  show(
    visit,
    texts.orders,
    <Listing caption={texts.orders} columns={columnsWith(names)} {...{ list, filters }}>
      <LinkLine href={`/console/orders.csv${visit.url.search}`} text={texts.asCsv} />
    </Listing>,
  );
}

const cells: Cells<Summary> = {
  id: ({ id }) => id,
  external_id: ({ external_id: id }) => id,
  user_id: ({ user_id: id }) => id,
  status: ({ status }) => status,
  packages: ({ package_count: count }) => count,
  total: ({ total }) => total.replace('.', ','),
  created_at: ({ created_at: at }) => at,
};

export async function sendOrders(visit: Visit): Promise<void> {
  const { read } = await listBy(visit);
  await sendCsv(visit, 'orders', cells, (page) => read({ page, page_size: EXPORT_PAGE }));
}
