import { plainTime } from '../dates.js';
import { Field, PostForm } from '../design/forms.js';
import { Page } from '../design/frame.js';
import { factList } from '../design/pieces.js';
import { addressText } from '../shared/words.js';
import { shipperFields as labels, packageTexts, shipperTexts as texts } from '../texts.js';
import { keyed, type RestSchemas, type Visit } from '../visit.js';
import { DateText, Money } from '../written.js';

const RETURN = 'POST /api/v1/packages/{loggi_key}/return';

/** Asks before a return is ordered, and shows its price. If the price changes, the order is refused. */
export async function showReturn(visit: Visit) {
  const { ask, say, url, refusal } = visit;
  const carried = await ask('GET /api/v1/packages/{loggi_key}');
  const { pickup, price, date } = await estimated(visit, carried);
  const total = refusal?.details.find((detail) => detail.total !== undefined)?.total ?? price;
  return (
    <Page title={`${say(texts.return)} ${carried.tracking_code}`}>
      <section class="card">
        <p>{say(texts.returnHint)}</p>
        {factList([
          [texts.fetchedAt, addressText(carried.address)],
          [texts.broughtTo, pickup && addressText(pickup)],
          [texts.total, <strong>{<Money amount={total} />}</strong>],
          [texts.promised, <DateText at={date} />],
        ])}
        <PostForm
          action={url.pathname}
          operation={RETURN}
          submit={texts.returnAtPrice}
          hidden={{ expected_total: total }}
        >
          <Field name="external_id" label={texts.reference} maxLength={255} />
          <Field name="instructions" label={texts.instructions} maxLength={255} />
          <Field name="ready_at" type="datetime-local" label={labels.ready_at} hint={packageTexts.atHint} />
        </PostForm>
      </section>
    </Page>
  );
}

/** Estimates price and date of an order that returns the package. */
async function estimated({ ask }: Visit, carried: RestSchemas['PackageDetail']) {
  const [{ pickups }, { name, phone }] = await Promise.all([
    ask('GET /api/v1/orders/{id}', { path: { id: carried.order_id } }),
    ask('GET /api/v1/users/me'),
  ]);
  const pickup = pickups[carried.pickup_index]?.address;
  const { address, dimensions, declared_value } = carried;
  const back = { pickup_index: 0, recipient: { name, phone }, address: pickup ?? address, dimensions, declared_value };
  const body = { pickups: [{ address }], packages: [back] };
  const { pricing, packages } = await ask('POST /api/v1/estimates', { body });
  return { pickup, price: pricing.total, date: packages[0]?.promised_date ?? carried.promised_date };
}

export async function returnPackage(visit: Visit): Promise<string> {
  const { optional, text } = visit.form;
  const { ask } = visit;
  const body = {
    external_id: optional('external_id'),
    instructions: optional('instructions'),
    ready_at: plainTime(text('ready_at')) || undefined,
    expected_total: text('expected_total'),
  };
  const order = await ask(RETURN, { ...keyed(visit), body });
  return `/envios/orders/${order.id}?done=ordered`;
}
