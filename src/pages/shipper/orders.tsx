import { Page } from '../design/frame.js';
import { EndingLink, factList, TextLink } from '../design/pieces.js';
import { type Column, TableSection } from '../design/tables.js';
import { FIRST_STATUS } from '../facts.js';
import { ending } from '../session/ending.js';
import { LabelsSection } from '../shared/files.js';
import { addressText, factsOf, OrderChip, Placed, Promised, StatusChip, senderText } from '../shared/words.js';
import { shipperTexts as texts, valueWords } from '../texts.js';
import type { RestSchemas, Visit } from '../visit.js';
import { Money, NumberText, Time, Word } from '../written.js';
import { PackageLink } from './lists.js';

type Order = RestSchemas['Order'];

export async function showOrder({ ask, say, url: { pathname: path } }: Visit) {
  const order = await ask('GET /api/v1/orders/{id}');
  return (
    <Page title={`${say(texts.order)} ${order.external_id ?? ''}`}>
      {factList([
        [texts.status, <OrderChip status={order.status} />],
        [texts.created, <Time at={order.created_at} />],
        [texts.ready_at, order.ready_at && <Time at={order.ready_at} />],
        [texts.total, <Money amount={order.pricing.total} />],
        ...order.pickups.map(({ address }) => [texts.pickup, addressText(address)] as const),
        ...order.pickups.map(({ sender }) => [texts.sender, senderText(sender)] as const),
        ...factsOf(order.metadata),
      ])}
      <TableSection caption={texts.packages} columns={packageColumns} rows={order.packages} />
      <TableSection caption={texts.price} columns={priceColumns} rows={order.pricing.lines} isNarrow />
      <LabelsSection path={`${path}/labels`} />
      {isWaiting(order) && (
        <p class="send">
          <TextLink href={`/envios/collections/new?order=${order.id}`} text={texts.listOrder} kind="button secondary" />
          <EndingLink href={`${path}/cancellation`} text={texts.cancelOrder} />
        </p>
      )}
    </Page>
  );
}

/** True if the whole order can be cancelled: none of its packages was collected. */
const isWaiting = ({ status, packages }: Order): boolean =>
  status === 'created' && packages.every((each) => each.status.final || each.status.code === FIRST_STATUS);

const packageColumns: readonly Column<Order['packages'][number]>[] = [
  [texts.package, (carried) => <PackageLink carried={carried} />],
  [texts.packageReference, ({ reference }) => reference],
  [texts.recipient, ({ recipient }) => recipient.name],
  [texts.status, ({ status }) => <StatusChip status={status} />],
  [texts.address, ({ address }) => addressText(address)],
  [texts.readAs, ({ resolved_address: place }) => <Placed place={place} />],
  [texts.promised, (carried) => <Promised {...carried} />],
];

export const priceColumns: readonly Column<RestSchemas['PriceLine']>[] = [
  [texts.priceOf, ({ kind }) => <Word of={valueWords.priceLines} value={kind} />],
  [texts.quantity, ({ quantity }) => <NumberText of={quantity} />, 'number'],
  [texts.unitPrice, ({ unit_price: amount }) => <Money amount={amount} />, 'number'],
  [texts.amount, ({ amount }) => <Money amount={amount} />, 'number'],
];

export const cancellation = ending({
  submit: texts.cancelOrder,
  operation: 'PUT /api/v1/orders/{id}/status',
  back: '/envios/orders/{id}',
  body: { status: 'cancelled' },
  about: async ({ ask, say }) => {
    const { external_id: reference, packages, pricing } = await ask('GET /api/v1/orders/{id}');
    const count = packages.filter(({ status }) => !status.final).length;
    const price = <Money amount={pricing.total} />;
    return {
      subject: reference ?? say(texts.unnamed),
      consequences: [[texts.cancelledPackages, count], texts.keepsPrice, texts.cancelHint],
      facts: [
        [texts.priceBefore, price],
        [texts.priceAfter, price],
      ],
    };
  },
});
