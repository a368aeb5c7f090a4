import { Facts, Field, HiddenFields, OperationForm, Time } from '../components.js';
import type { Form } from '../forms.js';
import { show } from '../frame.js';
import { type Column, Listing, pageQuery, Table } from '../lists.js';
import { dataOf, type RefusalError, type Schemas } from '../operations.js';
import { redirect, type Visit } from '../visit.js';
import { texts } from './texts.js';

type RateCard = Schemas['RateCard'];

const amounts = ['base', 'per_km', 'per_kg', 'per_extra_stop'] as const;
const fields = [...amounts, 'volumetric_cm3_per_kg'] as const;

/** `GET /console/rate-cards` */
export async function showRates(visit: Visit, refusal?: RefusalError, form?: Form): Promise<void> {
  const { operator, say } = visit;
  const [current, cards] = await Promise.all([
    dataOf(operator.GET('/operator/v1/rate-cards/current')),
    dataOf(operator.GET('/operator/v1/rate-cards', { params: { query: pageQuery(visit) } })),
  ]);
  show(
    visit,
    say(texts.rates),
    <Listing
      visit={visit}
      caption={texts.history}
      columns={cardColumns(visit)}
      list={cards}
      addition={{
        action: '/console/rate-cards/preview',
        operation: 'POST /operator/v1/rate-cards/preview',
        submit: texts.preview,
        children: fields.map((field) => (
          <Field
            visit={visit}
            name={field}
            label={texts[field]}
            isRequired
            inputMode="decimal"
            value={form?.text(field) ?? String(current[field])}
          />
        )),
      }}
    />,
    { refusal },
  );
}

const cardColumns = (visit: Visit): Column<RateCard>[] => [
  { heading: texts.version, cell: ({ version }) => version, isNumber: true },
  ...fields.map((field) => ({ heading: texts[field], cell: (card: RateCard) => card[field], isNumber: true })),
  { heading: texts.since, cell: ({ created_at: at }) => <Time visit={visit} at={at} /> },
];

/** `9,90` is what a Brazilian types for `9.90`. */
const amountOf = (text: string): string => text.trim().replace(',', '.');

function cardOf(form: Form): Schemas['RateCardInput'] {
  const [base = '', per_km = '', per_kg = '', per_extra_stop = ''] = amounts.map((field) => amountOf(form.text(field)));
  return { base, per_km, per_kg, per_extra_stop, volumetric_cm3_per_kg: Number(form.text('volumetric_cm3_per_kg')) };
}

const keyed = (form: Form) => ({ params: { header: { 'Idempotency-Key': form.text('key') } }, body: cardOf(form) });

/** `POST /console/rate-cards/preview`: what the card would change, and the form that puts it in force. */
export async function previewCard(visit: Visit, form: Form): Promise<void> {
  await showPreview(visit, await dataOf(visit.operator.POST('/operator/v1/rate-cards/preview', keyed(form))), form);
}

function showPreview(visit: Visit, preview: Schemas['RatePreview'], form: Form): void {
  const { say } = visit;
  show(
    visit,
    say(texts.preview),
    <>
      <p>{say(texts.previewOf)}</p>
      <Facts
        visit={visit}
        facts={[
          [texts.orders, preview.order_count],
          [texts.dearer, preview.dearer_count],
          [texts.cheaper, preview.cheaper_count],
          [texts.currentTotal, `R$ ${preview.current_total} (${say(texts.version)} ${preview.current_version})`],
          [texts.newTotal, `R$ ${preview.new_total}`],
        ]}
      />
      <Table visit={visit} caption={texts.preview} columns={previewColumns(visit)} rows={preview.orders} />
      <OperationForm
        visit={visit}
        action="/console/rate-cards"
        operation="POST /operator/v1/rate-cards"
        submit={texts.add}
        isDangerous
      >
        <HiddenFields fields={Object.fromEntries(fields.map((field) => [field, form.text(field)]))} />
        <p>{fields.map((field) => `${say(texts[field])}: ${form.text(field)}`).join('; ')}</p>
      </OperationForm>
      <p>
        <a href="/console/rate-cards">{say(texts.rates)}</a>
      </p>
    </>,
  );
}

const previewColumns = (visit: Visit): Column<Schemas['OrderPreview']>[] => [
  {
    heading: texts.order,
    cell: ({ order_id: id, external_id: name }) => <a href={`/console/orders/${id}`}>{name ?? id}</a>,
  },
  { heading: texts.created, cell: ({ created_at: at }) => <Time visit={visit} at={at} /> },
  { heading: texts.packages, cell: ({ package_count: count }) => count, isNumber: true },
  { heading: texts.charged, cell: ({ total }) => total, isNumber: true },
  { heading: texts.currentTotal, cell: ({ current_total: total }) => total, isNumber: true },
  { heading: texts.newTotal, cell: ({ new_total: total }) => total, isNumber: true },
];

/** `POST /console/rate-cards` */
export async function addRateCard(visit: Visit, form: Form): Promise<void> {
  await dataOf(visit.operator.POST('/operator/v1/rate-cards', keyed(form)));
  redirect(visit, '/console/rate-cards?done=saved');
}
