import { isId } from '../../base/ids.js';
import { FIRST_STATUS } from '../../packages/movement.js';
import { LabelsSection } from '../console/packages/files.js';
import {
  Choice,
  type Column,
  Confirmation,
  Facts,
  Field,
  LinkLine,
  Listing,
  Period,
  pageQuery,
  periodOf,
  Section,
  Table,
  useVisit,
} from '../design/index.js';
import { dataIfAny, dataOf } from '../session/operations.js';
import { calling, pathId, redirect, type Visit } from '../session/visit.js';
import { orderStatuses, priceLines, shipperTexts as texts } from '../texts.js';
import { DateText, Money, NumberText, Time } from '../times.js';
import { show } from './frame.js';
import { PrintBox, PrintForm } from './labels.js';
import { addressText, OrderChip, OrderLink, PackageLink, Placed, type RestSchemas, StatusChip } from './words.js';

type Order = RestSchemas['Order'];

export const orderColumns: readonly Column<RestSchemas['OrderSummary']>[] = [
  [texts.order, (order) => <OrderLink order={order} />],
  [texts.status, ({ status }) => <OrderChip status={status} />],
  [texts.packages, ({ package_count: count }) => count, 'number'],
  [texts.total, ({ total }) => <Money amount={total} />, 'number'],
  [texts.created, ({ created_at: at }) => <Time at={at} />],
];

const listColumns: typeof orderColumns = [
  ...orderColumns,
  [texts.print, ({ id, external_id: name }) => <PrintBox id={id} name={name ?? ''} />],
];

const statuses = ['created', 'processing', 'out_for_delivery', 'completed', 'cancelled'] as const;

export async function showOrders(visit: Visit): Promise<void> {
  const { rest, url } = visit;
  const asked = (name: string) => url.searchParams.get(name)?.trim().slice(0, 255) || undefined;
  const status = statuses.find((each) => each === asked('status'));
  const reference = asked('external_id');
  const query = {
    ...(status && { status }),
    ...(reference !== undefined && { external_id: reference }),
    ...periodOf(visit),
    ...pageQuery(visit),
  };
  const orders = await dataOf(rest.GET('/api/v1/orders', { params: { query } }));
  const names = statuses.map((each) => [each, orderStatuses[each] ?? each] as const);
  const filters = (
    <>
      <Field name="external_id" label={texts.reference} value={reference} maxLength={255} />
      <Choice name="status" label={texts.status} value={status ?? ''} options={[['', texts.every], ...names]} />
      <Period />
    </>
  );
  show(
    visit,
    texts.orders,
    <Listing caption={texts.orders} columns={listColumns} list={orders} filters={filters} empty={texts.noOrders}>
      {orders.data.length > 0 && <PrintForm />}
    </Listing>,
  );
}

export async function showOrder(visit: Visit): Promise<void> {
  const { rest, say } = visit;
  const order = await dataOf(rest.GET('/api/v1/orders/{id}', { params: pathId(visit) }));
  const { pricing } = order;
  show(
    visit,
    `${say(texts.order)} ${order.external_id ?? ''}`,
    <>
      <Facts
        facts={[
          [texts.status, <OrderChip status={order.status} />],
          [texts.created, <Time at={order.created_at} />],
          [texts.total, <Money amount={pricing.total} />],
          ...order.pickups.map(({ address }) => [texts.pickup, addressText(address)] as const),
        ]}
      />
      <Section title={texts.packages}>
        <Table caption={texts.packages} columns={packageColumns} rows={order.packages} />
      </Section>
      <Section title={texts.price}>
        <PriceTable lines={pricing.lines} />
      </Section>
      <LabelsSection path={`/envios/orders/${order.id}/labels`} />
      {isWaiting(order) && <LinkLine href={`/envios/orders/${order.id}/cancellation`} text={texts.cancelOrder} />}
    </>,
  );
}

/** An order ends as a whole while nothing of it was collected. */
const isWaiting = ({ status, packages }: Order): boolean =>
  status === 'created' && packages.every((each) => each.status.final || each.status.code === FIRST_STATUS);

const packageColumns: readonly Column<Order['packages'][number]>[] = [
  [texts.package, (carried) => <PackageLink carried={carried} />],
  [texts.recipient, ({ recipient }) => recipient.name],
  [texts.status, ({ status }) => <StatusChip status={status} />],
  [texts.address, ({ address }) => addressText(address)],
  [texts.readAs, ({ resolved_address: place }) => <Placed place={place} />],
  [texts.promised, ({ promised_date: date }) => <DateText at={date} />],
];

type PriceLine = RestSchemas['PriceLine'];

export const PriceTable = ({ lines, of = texts.price }: { lines: readonly PriceLine[]; of?: typeof texts.price }) => (
  <Table caption={of} columns={priceColumns} rows={lines} />
);

const priceColumns: readonly Column<PriceLine>[] = [
  [texts.priceOf, ({ kind }) => <LineName kind={kind} />],
  [texts.quantity, ({ quantity }) => <NumberText of={quantity} />, 'number'],
  [texts.unitPrice, ({ unit_price: amount }) => <Money amount={amount} />, 'number'],
  [texts.amount, ({ amount }) => <Money amount={amount} />, 'number'],
];

function LineName({ kind }: { kind: string }) {
  const name = priceLines[kind];
  return <>{name ? useVisit().say(name) : kind}</>;
}

export async function showOrderCancellation(visit: Visit): Promise<void> {
  const { rest, say } = visit;
  const order = await dataOf(rest.GET('/api/v1/orders/{id}', { params: pathId(visit) }));
  const count = order.packages.filter(({ status }) => !status.final).length;
  const path = `/envios/orders/${order.id}`;
  show(
    visit,
    texts.cancelOrder,
    <Confirmation
      action={`${path}/cancellation`}
      operation={CANCELLATION}
      submit={texts.cancelOrder}
      back={path}
      consequences={[`${say(texts.cancelledPackages)} ${count}`, say(texts.cancelHint)]}
    />,
  );
}

const CANCELLATION = 'PUT /api/v1/orders/{id}/status';
export const cancelOrder = calling(CANCELLATION, '/envios/orders/{id}', 'saved', () => ({
  status: 'cancelled' as const,
}));

const BARCODE = /^\d{18}$/;
const TRACKING_CODE = /^[0-9A-Z*~$=]{12}$/;

/** Leads to the package of a code, or to the order of a reference; without any to the list that says so. */
export async function search(visit: Visit): Promise<void> {
  const { rest, url } = visit;
  const text = (url.searchParams.get('q') ?? '').trim().slice(0, 255);
  const code = text.toUpperCase();
  if (isId(text)) {
    const params = { path: { loggi_key: text } };
    const carried = await dataIfAny(rest.GET('/api/v1/packages/{loggi_key}', { params }));
    return redirect(visit, carried ? `/envios/packages/${text}` : `/envios/orders/${text}`);
  }
  if (BARCODE.test(code) || TRACKING_CODE.test(code)) {
    const query = BARCODE.test(code) ? { barcode: code } : { tracking_code: code };
    const { data } = await dataOf(rest.GET('/api/v1/packages', { params: { query } }));
    if (data[0]) return redirect(visit, `/envios/packages/${data[0].loggi_key}`);
  }
  redirect(visit, `/envios/orders?external_id=${encodeURIComponent(text)}`);
}
