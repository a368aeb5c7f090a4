import { FIRST_STATUS } from '../../packages/movement.js';
import { LabelsSection } from '../console/packages/files.js';
import { type Column, Confirmation, Facts, LinkLine, TableSection } from '../design/index.js';
import { Word } from '../page.js';
import { dataOf } from '../session/operations.js';
import { calling, pathId, type Visit } from '../session/visit.js';
import { priceLines, shipperTexts as texts } from '../texts.js';
import { DateText, Money, NumberText, Time } from '../times.js';
import { show } from './frame.js';
import { addressText, OrderChip, PackageLink, Placed, type RestSchemas, StatusChip } from './words.js';

type Order = RestSchemas['Order'];

const orderOf = (visit: Visit): Promise<Order> =>
  dataOf(visit.rest.GET('/api/v1/orders/{id}', { params: pathId(visit) }));

export async function showOrder(visit: Visit): Promise<void> {
  const order = await orderOf(visit);
  const path = `/envios/orders/${order.id}`;
  show(
    visit,
    `${visit.say(texts.order)} ${order.external_id ?? ''}`,
    <>
      <Facts
        facts={[
          [texts.status, <OrderChip status={order.status} />],
          [texts.created, <Time at={order.created_at} />],
          [texts.total, <Money amount={order.pricing.total} />],
          ...order.pickups.map(({ address }) => [texts.pickup, addressText(address)] as const),
        ]}
      />
      <TableSection caption={texts.packages} columns={packageColumns} rows={order.packages} />
      <TableSection caption={texts.price} columns={priceColumns} rows={order.pricing.lines} />
      <LabelsSection path={`${path}/labels`} />
      {isWaiting(order) && <LinkLine href={`${path}/cancellation`} text={texts.cancelOrder} />}
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

export const priceColumns: readonly Column<RestSchemas['PriceLine']>[] = [
  [texts.priceOf, ({ kind }) => <Word of={priceLines} value={kind} />],
  [texts.quantity, ({ quantity }) => <NumberText of={quantity} />, 'number'],
  [texts.unitPrice, ({ unit_price: amount }) => <Money amount={amount} />, 'number'],
  [texts.amount, ({ amount }) => <Money amount={amount} />, 'number'],
];

export async function showOrderCancellation(visit: Visit): Promise<void> {
  const { id, packages } = await orderOf(visit);
  const count = packages.filter(({ status }) => !status.final).length;
  const path = `/envios/orders/${id}`;
  show(
    visit,
    texts.cancelOrder,
    <Confirmation
      action={`${path}/cancellation`}
      operation={CANCELLATION}
      submit={texts.cancelOrder}
      back={path}
      consequences={[`${visit.say(texts.cancelledPackages)} ${count}`, visit.say(texts.cancelHint)]}
    />,
  );
}

const CANCELLATION = 'PUT /api/v1/orders/{id}/status';
export const cancelOrder = calling(CANCELLATION, '/envios/orders/{id}', 'saved', () => ({
  status: 'cancelled' as const,
}));
