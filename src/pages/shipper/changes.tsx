import type { VNode } from 'preact';
import { packagePath } from '../console/packages/files.js';
import { Card, Confirmation, Facts, Field, PostForm, Section, useVisit } from '../design/index.js';
import { dataOf } from '../session/operations.js';
import { calling, keyed, redirect, type Visit } from '../session/visit.js';
import { shipperTexts as texts } from '../texts.js';
import { DateText, Money } from '../times.js';
import { addressOf } from './fields.js';
import { show } from './frame.js';
import { addressText, Placed, type RestSchemas } from './words.js';

type Carried = RestSchemas['PackageRecord'];

const pathOf = ({ loggi_key: key }: Pick<Carried, 'loggi_key'>): string => `/envios/packages/${key}`;

const ANSWERS = 'POST /api/v1/packages/{loggi_key}/answers';

/** Reason why the package waits, and the form that answers it. */
export function AnswerForm({
  carried,
  answers,
}: {
  carried: Carried;
  answers: readonly RestSchemas['PackageAnswer'][];
}) {
  const { say } = useVisit();
  const { action_required: action, updated_at: since } = carried.status;
  return (
    <Card title={texts.problem} id="answer">
      <p>
        <strong>{action?.reason_label}</strong>: {action?.reason_description}
      </p>
      {answers.some(({ created_at: at }) => at >= since) && <p role="status">{say(texts.answeredHint)}</p>}
      <PostForm action={`${pathOf(carried)}/answers`} operation={ANSWERS} submit={texts.sendAnswer}>
        <Field name="phone" type="tel" label={texts.newPhone} maxLength={26} />
        <Field name="address.address" label={texts.newAddress} maxLength={255} />
        <Field name="address.complement" label={texts.complement} maxLength={255} />
        <Field name="instructions" label={texts.instructions} maxLength={255} />
        <Field name="note" label={texts.note} maxLength={1000} />
      </PostForm>
    </Card>
  );
}

export const answer = calling(ANSWERS, '/envios/packages/{loggi_key}', 'answered', ({ form }) => ({
  ...given(form, 'phone', 'instructions', 'note'),
  ...(form.optional('address.address') !== undefined && { address: typedAddress(form) }),
}));

const typedAddress = ({ text }: Visit['form']) => addressOf((path) => text(`address.${path}`).trim());

const given = <Name extends string>(form: Visit['form'], ...names: Name[]): Partial<Record<Name, string>> => {
  const fields: Partial<Record<Name, string>> = {};
  for (const name of names) {
    const text = form.optional(name);
    if (text !== undefined) fields[name] = text;
  }
  return fields;
};

export async function showAddressChange(visit: Visit): Promise<void> {
  const params = packagePath(visit);
  showAddressForm(visit, await dataOf(visit.rest.GET('/api/v1/packages/{loggi_key}', { params })));
}

type Changed = RestSchemas['AddressChange'];

/** Shows the price with the address that was typed; a form that names that price changes the address. */
export async function changeAddress(visit: Visit): Promise<void> {
  const { rest, form } = visit;
  const params = { ...packagePath(visit), ...keyed(visit) };
  const body = { address: typedAddress(form), ...given(form, 'total') };
  const preview = await dataOf(rest.POST('/api/v1/packages/{loggi_key}/address-change', { params, body }));
  const changed = packageIn(preview, params.path.loggi_key);
  if (preview.changed) return redirect(visit, `${pathOf(changed)}?done=saved`);
  showAddressForm(visit, changed, <AddressPrice carried={changed} preview={preview} />);
}

function packageIn({ order }: Pick<Changed, 'order'>, key: string): RestSchemas['OrderPackage'] {
  const changed = order.packages.find((each) => each.loggi_key === key);
  if (!changed) throw new Error('an answer about a package does not have it');
  return changed;
}

function showAddressForm(visit: Visit, carried: RestSchemas['OrderPackage'], price?: VNode): void {
  const { address, complement } = carried.address;
  show(
    visit,
    `${visit.say(texts['address-change'])} ${carried.tracking_code}`,
    <>
      {price}
      <PostForm
        action={`${pathOf(carried)}/address-change`}
        operation="POST /api/v1/packages/{loggi_key}/address-change"
        submit={texts.showPrice}
      >
        <Field name="address.address" label={texts.newAddress} value={address} isRequired maxLength={255} />
        <Field name="address.complement" label={texts.complement} value={complement} maxLength={255} />
      </PostForm>
    </>,
  );
}

const pricesOf = ({ previous_pricing: before, order }: Pick<Changed, 'previous_pricing' | 'order'>) =>
  [
    [texts.priceBefore, <Money amount={before.total} />],
    [texts.priceAfter, <Money amount={order.pricing.total} />],
  ] as const;

function AddressPrice({ carried, preview }: { carried: RestSchemas['OrderPackage']; preview: Changed }) {
  const { address, complement = '' } = carried.address;
  const hidden = { 'address.address': address, 'address.complement': complement, total: preview.order.pricing.total };
  return (
    <Section title={texts.price}>
      <Facts
        facts={[
          [texts.address, addressText(carried.address)],
          [texts.readAs, <Placed place={carried.resolved_address} />],
          [texts.promised, <DateText at={carried.promised_date} />],
          ...pricesOf(preview),
        ]}
      />
      <PostForm action={`${pathOf(carried)}/address-change`} submit={texts['address-change']} hidden={hidden} />
    </Section>
  );
}

const CANCELLATION = 'POST /api/v1/packages/{loggi_key}/cancellation';
export const cancelPackage = calling(CANCELLATION, '/envios/packages/{loggi_key}', 'saved', () => ({}));

export async function showCancellation(visit: Visit): Promise<void> {
  const params = packagePath(visit);
  const body = { preview: true };
  const preview = await dataOf(visit.rest.POST('/api/v1/packages/{loggi_key}/cancellation', { params, body }));
  const cancelled = packageIn(preview, params.path.loggi_key);
  show(
    visit,
    `${visit.say(texts.cancellation)} ${cancelled.tracking_code}`,
    <Confirmation
      action={`${pathOf(cancelled)}/cancellation`}
      operation={CANCELLATION}
      submit={texts.cancellation}
      back={pathOf(cancelled)}
      consequences={[visit.say(texts.cancelHint)]}
    >
      <Facts facts={pricesOf(preview)} />
    </Confirmation>,
  );
}

export async function showReturn(visit: Visit): Promise<void> {
  const params = packagePath(visit);
  const carried = await dataOf(visit.rest.GET('/api/v1/packages/{loggi_key}', { params }));
  show(
    visit,
    `${visit.say(texts.return)} ${carried.tracking_code}`,
    <PostForm
      action={`${pathOf(carried)}/return`}
      operation="POST /api/v1/packages/{loggi_key}/return"
      submit={texts.return}
    >
      <p>{visit.say(texts.returnHint)}</p>
      <Field name="external_id" label={texts.reference} maxLength={255} />
      <Field name="instructions" label={texts.instructions} maxLength={255} />
    </PostForm>,
  );
}

export async function returnPackage(visit: Visit): Promise<void> {
  const params = { ...packagePath(visit), ...keyed(visit) };
  const body = given(visit.form, 'external_id', 'instructions');
  const order = await dataOf(visit.rest.POST('/api/v1/packages/{loggi_key}/return', { params, body }));
  redirect(visit, `/envios/orders/${order.id}?done=ordered`);
}
