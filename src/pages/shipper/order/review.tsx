import type { VNode } from 'preact';
import { PostForm } from '../../design/forms.js';
import { Page } from '../../design/frame.js';
import { Card, factList } from '../../design/pieces.js';
import { type Column, Table, TableSection } from '../../design/tables.js';
import { Placed } from '../../shared/words.js';
import { shipperFields as labels, shipperTexts as texts, valueWords } from '../../texts.js';
import { keyed, type RestSchemas, type Visit } from '../../visit.js';
import { DateText, Money, Time } from '../../written.js';
import { type OrderCreate, orderOf } from '../fields.js';
import { priceColumns } from '../orders.js';
import { countOf, ownerField, PATH, typedTexts } from './draft.js';
import { orderTexts } from './places.js';
import { worthwhile } from './quote.js';

const ORDER = 'POST /api/v1/orders';

type Estimate = RestSchemas['OrderEstimate'];

const typedOrder = async (visit: Visit): Promise<OrderCreate> => orderOf(await orderTexts(visit), countOf(visit));

/** Shows how each address was read and what each service costs; a button places the order. */
export async function showReview(visit: Visit): Promise<VNode> {
  const { say, ask, form } = visit;
  const { pickups, packages, ...order } = await typedOrder(visit);
  const estimate = await ask('POST /api/v1/estimates', { body: { pickups, packages, ...order } });
  const pickup = say(labels['pickups.0.address.address']);
  const stops: Stop[] = [
    ...pickups.map(({ address }, at) => ({ name: pickup, typed: address.address, read: estimate.pickups[at] })),
    ...packages.map(({ address, recipient: { name } }, at) => {
      return { name, typed: address.address, read: estimate.packages[at] };
    }),
  ];
  const fields = { ...typedTexts(form.text, countOf(visit)), ...ownerField(visit) };
  return (
    <Page title={texts.review}>
      <p>{say(texts.checkAddresses)}</p>
      <TableSection caption={texts.readAs} columns={stopColumns} rows={stops} />
      <div class="entrances">
        {worthwhile(estimate.services ?? []).map((offer) => (
          <Offer {...{ offer, fields }} />
        ))}
      </div>
      <PostForm action={PATH} submit={texts.correct} hidden={{ ...fields, next: 'correct' }} kind="secondary" />
    </Page>
  );
}

interface Stop {
  name: string;
  typed: string;
  read: Estimate['pickups'][number] | Estimate['packages'][number] | undefined;
}

const stopColumns: readonly Column<Stop>[] = [
  [texts.who, ({ name }) => name],
  [texts.typed, ({ typed }) => typed],
  [texts.readAs, ({ read }) => read && <Placed place={read.resolved_address} street={read.street_read} />],
  [texts.promised, ({ read }) => read && 'promised_date' in read && <DateText at={read.promised_date} />],
];

type OfferProps = { offer: RestSchemas['ServiceEstimate']; fields: Readonly<Record<string, string>> };

function Offer({ offer: { service, pricing, promised_date: date }, fields }: OfferProps) {
  const submit = service === 'economy' ? texts.orderEconomy : texts.orderExpress;
  const hidden = { ...fields, service, expected_total: pricing.total };
  const name = valueWords.services[service] ?? texts.quote;
  const total = (
    <strong>
      <Money amount={pricing.total} />
    </strong>
  );
  return (
    <Card title={name}>
      {factList([
        [texts.total, total],
        [texts.promised, <DateText at={date} />],
        [texts.priceUntil, pricing.valid_until && <Time at={pricing.valid_until} />],
      ])}
      <Table caption={name} columns={priceColumns} rows={pricing.lines} isNarrow />
      <PostForm action="/envios/orders" operation={ORDER} {...{ submit, hidden }} />
    </Card>
  );
}

/** Places the order at the shown price. If the price has changed, the order is refused. */
export async function placeOrder(visit: Visit): Promise<string> {
  const body = { ...(await typedOrder(visit)), expected_total: visit.form.text('expected_total') };
  const order = await visit.ask(ORDER, { ...keyed(visit), body });
  return `/envios/orders/${order.id}?done=ordered`;
}
