import { Card, Choice, type Column, Facts, Field, PostForm, Section, Table, useVisit } from '../design/index.js';
import { dataOf } from '../session/operations.js';
import { keyed, redirect, type Visit } from '../session/visit.js';
import { shipperFields as labels, services, shipperTexts as texts } from '../texts.js';
import { DateText, Money } from '../times.js';
import { type OrderCreate, packageFields, packageOf } from './fields.js';
import { show } from './frame.js';
import { PriceTable } from './orders.js';
import { Placed, type RestSchemas } from './words.js';

const PATH = '/envios/new-order';
/** The form grows by a package at a time. */
const MOST_PACKAGES = 20;

const countOf = ({ form }: Visit): number =>
  Math.min(MOST_PACKAGES, Math.max(1, Math.trunc(Number(form.text('count'))) || 1));

export const showNewOrder = (visit: Visit): void => showForm(visit, countOf(visit));

function showForm(visit: Visit, count: number): void {
  const { say } = visit;
  show(
    visit,
    texts.newOrder,
    <PostForm action={PATH} operation="POST /api/v1/estimates" submit={texts.quote} hidden={{ count: String(count) }}>
      <Card title={labels.sender}>
        <Typed name="pickups.0.address.address" label={labels.pickup} isRequired />
        <Typed name="pickups.0.address.complement" label={labels.complement} />
        <Typed name="external_id" label={labels.reference} />
      </Card>
      {Array.from({ length: count }, (_, at) => (
        <section class="card">
          <h2>
            {say(texts.package)} {at + 1}
          </h2>
          {packageFields.map(({ path, label, isRequired = false, inputMode, isFlag }) =>
            isFlag ? (
              <Choice
                name={`packages.${at}.${path}`}
                label={label}
                value={visit.form.text(`packages.${at}.${path}`)}
                options={yesOrNo}
              />
            ) : (
              <Typed name={`packages.${at}.${path}`} {...{ label, isRequired, inputMode }} />
            ),
          )}
        </section>
      ))}
      {count < MOST_PACKAGES && (
        <button type="submit" class="secondary" name="next" value="add" formNoValidate>
          {say(texts.addPackage)}
        </button>
      )}
    </PostForm>,
  );
}

const yesOrNo = [
  ['', texts.no],
  ['sim', texts.yes],
] as const;

interface TypedProps {
  name: string;
  label: typeof texts.newOrder;
  isRequired?: boolean;
  inputMode?: 'decimal' | undefined;
}

/** A field that keeps what was typed over all steps of the form. */
const Typed = ({ inputMode, ...field }: TypedProps) => (
  <Field {...field} {...(inputMode && { inputMode })} value={useVisit().form.text(field.name)} maxLength={255} />
);

/** Shows what the order would be, or the form with one more package. */
export async function quote(visit: Visit): Promise<void> {
  if (visit.form.text('next') === 'correct') return showNewOrder(visit);
  if (visit.form.text('next') === 'add') return showForm(visit, Math.min(MOST_PACKAGES, countOf(visit) + 1));
  const body = orderOf(visit);
  const estimate = await dataOf(visit.rest.POST('/api/v1/estimates', { body }));
  showQuote(visit, body, estimate);
}

function orderOf(visit: Visit): OrderCreate {
  const { text, optional } = visit.form;
  const [complement, reference] = [optional('pickups.0.address.complement'), optional('external_id')];
  const address = {
    address: text('pickups.0.address.address').trim(),
    ...(complement !== undefined && { complement }),
  };
  return {
    ...(reference !== undefined && { external_id: reference }),
    pickups: [{ address }],
    packages: Array.from({ length: countOf(visit) }, (_, at) =>
      packageOf((path) => text(`packages.${at}.${path}`).trim()),
    ),
  };
}

type Estimate = RestSchemas['OrderEstimate'];

interface ReadStop {
  name: string;
  typed: string;
  place: RestSchemas['ResolvedAddress'];
  promised?: string;
}

function showQuote(visit: Visit, { pickups, packages }: OrderCreate, estimate: Estimate): void {
  const stops: ReadStop[] = [
    ...pickups.flatMap(({ address }, at): ReadStop[] => {
      const read = estimate.pickups[at];
      return read ? [{ name: visit.say(labels.pickup), typed: address.address, place: read.resolved_address }] : [];
    }),
    ...packages.flatMap(({ address, recipient }, at): ReadStop[] => {
      const read = estimate.packages[at];
      if (!read) return [];
      return [
        { name: recipient.name, typed: address.address, place: read.resolved_address, promised: read.promised_date },
      ];
    }),
  ];
  show(
    visit,
    texts.quote,
    <>
      <p>{visit.say(texts.checkAddresses)}</p>
      <Section title={texts.readAs}>
        <Table caption={texts.readAs} columns={stopColumns} rows={stops} />
      </Section>
      {(estimate.services ?? []).map((offer) => (
        <Offer offer={offer} fields={sentFields(visit)} />
      ))}
      <PostForm action={PATH} submit={texts.correct} hidden={{ ...sentFields(visit), next: 'correct' }} />
    </>,
  );
}

const stopColumns: readonly Column<ReadStop>[] = [
  [texts.who, ({ name }) => name],
  [texts.typed, ({ typed }) => typed],
  [texts.readAs, ({ place }) => <Placed place={place} />],
  [texts.promised, ({ promised }) => promised && <DateText at={promised} />],
];

/** The order as it was typed, for the form that places it. */
function sentFields(visit: Visit): Record<string, string> {
  const names = [
    'pickups.0.address.address',
    'pickups.0.address.complement',
    'external_id',
    ...Array.from({ length: countOf(visit) }, (_, at) =>
      packageFields.map(({ path }) => `packages.${at}.${path}`),
    ).flat(),
  ];
  const typed = names.flatMap((name) => (visit.form.text(name) === '' ? [] : [[name, visit.form.text(name)]]));
  return { ...Object.fromEntries(typed), count: String(countOf(visit)) };
}

interface OfferProps {
  offer: RestSchemas['ServiceEstimate'];
  fields: Record<string, string>;
}

function Offer({ offer: { service, pricing, promised_date: date }, fields }: OfferProps) {
  const name = services[service] ?? texts.quote;
  return (
    <Card title={name}>
      <Facts
        facts={[
          [
            texts.total,
            <strong>
              <Money amount={pricing.total} />
            </strong>,
          ],
          [texts.promised, <DateText at={date} />],
        ]}
      />
      <PriceTable lines={pricing.lines} of={name} />
      <PostForm
        action="/envios/orders"
        operation="POST /api/v1/orders"
        submit={service === 'economy' ? texts.orderEconomy : texts.orderExpress}
        hidden={{ ...fields, service, expected_total: pricing.total }}
      />
    </Card>
  );
}

/** Places the order at the price that was shown, or not at all. */
export async function placeOrder(visit: Visit): Promise<void> {
  const service = visit.form.text('service') === 'economy' ? 'economy' : 'express';
  const body = { ...orderOf(visit), service, expected_total: visit.form.text('expected_total') } as const;
  const order = await dataOf(visit.rest.POST('/api/v1/orders', { params: keyed(visit), body }));
  redirect(visit, `/envios/orders/${order.id}?done=ordered`);
}

/** After a refusal: the quote as it is now, or the form where that is refused, too. */
export async function showRefused(visit: Visit): Promise<void> {
  if (visit.refusal?.reason !== 'price_changed') return showNewOrder(visit);
  await quote(visit);
}
