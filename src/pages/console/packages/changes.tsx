import { Confirmation, Facts, Field, PostForm, Section } from '../../design/index.js';
import { Word } from '../../page.js';
import { dataOf, type Schemas } from '../../session/operations.js';
import { calling, keyed, redirect, type Visit } from '../../session/visit.js';
import { precisions, packageTexts as texts } from '../../texts.js';
import { DateText, Money } from '../../times.js';
import { show } from '../frame.js';
import { packagePath } from './files.js';
import { addressText, placeText } from './list.js';

const ADDRESS_CHANGE = '/operator/v1/packages/{loggi_key}/address-change';

/** Shows the price with the address that was typed; a form that names that price changes the address. */
export async function changeAddress(visit: Visit): Promise<void> {
  const { operator, form } = visit;
  const params = { ...packagePath(visit), ...keyed(visit) };
  const [complement, total] = [form.optional('complement'), form.optional('total')];
  const address = { address: form.text('address').trim(), ...(complement !== undefined && { complement }) };
  const body = { address, ...(total !== undefined && { total }) };
  const answer = await dataOf(operator.POST(ADDRESS_CHANGE, { params, body }));
  if (answer.changed) return redirect(visit, `/console/packages/${params.path.loggi_key}?done=saved`);
  showForm(visit, answer.package, <Price preview={answer} />);
}

export async function showAddressChange(visit: Visit): Promise<void> {
  const params = packagePath(visit);
  showForm(visit, await dataOf(visit.operator.GET('/operator/v1/packages/{loggi_key}', { params })));
}

const pathOf = ({ loggi_key: key }: Schemas['TrackedPackage']): string => `/console/packages/${key}/address-change`;

function showForm(visit: Visit, tracked: Schemas['TrackedPackage'], price?: ReturnType<typeof Price>): void {
  const { address, complement } = tracked.address;
  show(
    visit,
    `${visit.say(texts.changeAddress)} ${tracked.tracking_code}`,
    <>
      {price}
      <PostForm action={pathOf(tracked)} operation={`POST ${ADDRESS_CHANGE}`} submit={texts.showPrice}>
        <Field name="address" label={texts.address} value={address} isRequired maxLength={255} />
        <Field name="complement" label={texts.complement} value={complement} maxLength={255} />
      </PostForm>
    </>,
  );
}

function Price({ preview }: { preview: Schemas['ChangedPackage'] }) {
  const { package: changed, resolved_address: place, previous_total: before, total } = preview;
  const { address, complement = '' } = changed.address;
  const { precision, accuracy_metres: metres } = place;
  const placed = [place.district, placeText(place), place.postal_code].filter(Boolean).join(', ');
  return (
    <Section title={texts.price}>
      <Facts
        facts={[
          [texts.address, addressText(changed.address)],
          [
            texts.readAs,
            <>
              {placed} (<Word of={precisions} value={precision} />
              {metres !== undefined && `, ± ${metres} m`})
            </>,
          ],
          [texts.promised, <DateText at={changed.promised_date} />],
          [texts.priceBefore, <Money amount={before} />],
          [texts.priceThere, <Money amount={total} />],
        ]}
      />
      <PostForm
        action={pathOf(changed)}
        operation={`POST ${ADDRESS_CHANGE}`}
        submit={texts.changeAddress}
        isDangerous
        hidden={{ address, complement, total }}
      />
    </Section>
  );
}

const CANCELLATION = '/operator/v1/packages/{loggi_key}/cancellation';
export const cancelPackage = calling(`POST ${CANCELLATION}`, '/console/packages/{loggi_key}', 'saved', () => ({}));

/** Shows what ends with a package and what its order costs then, before the button that does it. */
export async function showCancellation(visit: Visit): Promise<void> {
  const { operator, rest, say } = visit;
  const body = { preview: true };
  const preview = await dataOf(operator.POST(CANCELLATION, { params: packagePath(visit), body }));
  const { loggi_key: key, order_id: id, tracking_code: code, recipient } = preview.package;
  const order = await dataOf(rest.GET('/api/v1/orders/{id}', { params: { path: { id } } }));
  const isLast = order.packages.every((each) => each.status.stage === 'cancelled' || each.loggi_key === key);
  show(
    visit,
    `${say(texts.cancel)} ${code}`,
    <Confirmation
      consequences={[say(texts.cancelHint), say(isLast ? texts.cancelLast : texts.cancelOthers)]}
      back={`/console/packages/${key}`}
      action={`/console/packages/${key}/cancellation`}
      operation={`POST ${CANCELLATION}`}
      submit={texts.cancel}
    >
      <Facts
        facts={[
          [texts.package, <a href={`/console/packages/${key}`}>{code}</a>],
          [texts.recipient, recipient.name],
          [texts.order, <a href={`/console/orders/${id}`}>{order.external_id ?? say(texts.seeOrder)}</a>],
          [texts.priceBefore, <Money amount={preview.previous_total} />],
          [texts.priceAfter, <Money amount={preview.total} />],
        ]}
      />
    </Confirmation>,
  );
}
