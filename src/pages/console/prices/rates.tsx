import { Time } from '../../times.js';
import { Facts, Field, LinkLine, PostForm } from '../components.js';
import type { Form } from '../forms.js';
import { show } from '../frame.js';
import { Addition, type Column, Listing, pageQuery, Table } from '../lists.js';
import { dataOf, type Schemas } from '../operations.js';
import { keyed, redirect, type Visit } from '../visit.js';
import { texts } from './texts.js';

type RateCard = Schemas['RateCard'];

const amounts = ['base', 'per_km', 'per_kg', 'per_extra_stop'] as const;
const fields = [...amounts, 'volumetric_cm3_per_kg'] as const;

export async function showRates(visit: Visit): Promise<void> {
  const { operator } = visit;
  const [current, cards] = await Promise.all([
    dataOf(operator.GET('/operator/v1/rate-cards/current')),
    dataOf(operator.GET('/operator/v1/rate-cards', { params: { query: pageQuery(visit) } })),
  ]);
  show(
    visit,
    texts.rates,
    <Listing caption={texts.history} columns={cardColumns} list={cards}>
      <Addition
        action="/console/rate-cards/preview"
        operation="POST /operator/v1/rate-cards/preview"
        submit={texts.preview}
      >
        {fields.map((name) => (
          <Field name={name} label={texts[name]} isRequired inputMode="decimal" value={String(current[name])} />
        ))}
      </Addition>
    </Listing>,
  );
}

const cardColumns: readonly Column<RateCard>[] = [
  [texts.version, ({ version }) => version, 'number'],
  ...fields.map((field): Column<RateCard> => [texts[field], (card) => card[field], 'number']),
  [texts.since, ({ created_at: at }) => <Time at={at} />],
];

/** `9,90` is what a Brazilian types for `9.90`. */
const amountOf = (text: string): string => text.trim().replace(',', '.');

function cardOf(form: Form): Schemas['RateCardInput'] {
  const [base = '', per_km = '', per_kg = '', per_extra_stop = ''] = amounts.map((field) => amountOf(form.text(field)));
  return { base, per_km, per_kg, per_extra_stop, volumetric_cm3_per_kg: Number(form.text('volumetric_cm3_per_kg')) };
}

/** Shows the changes that the card would make, and the form that puts it in force. */
export async function previewCard(visit: Visit): Promise<void> {
  const { say, form, operator } = visit;
  const request = { params: keyed(visit), body: cardOf(form) };
  const preview = await dataOf(operator.POST('/operator/v1/rate-cards/preview', request));
  show(
    visit,
    texts.preview,
    <>
      <p>{say(texts.previewOf)}</p>
      <Facts
        facts={[
          [texts.orders, preview.order_count],
          [texts.dearer, preview.dearer_count],
          [texts.cheaper, preview.cheaper_count],
          [texts.currentTotal, `R$ ${preview.current_total} (${say(texts.version)} ${preview.current_version})`],
          [texts.newTotal, `R$ ${preview.new_total}`],
        ]}
      />
      <Table caption={texts.preview} columns={previewColumns} rows={preview.orders} />
      <PostForm
        action="/console/rate-cards"
        operation="POST /operator/v1/rate-cards"
        submit={texts.add}
        isDangerous
        hidden={Object.fromEntries(fields.map((field) => [field, form.text(field)]))}
      >
        <p>{fields.map((field) => `${say(texts[field])}: ${form.text(field)}`).join('; ')}</p>
      </PostForm>
      <LinkLine href="/console/rate-cards" text={texts.rates} />
    </>,
  );
}

const previewColumns: readonly Column<Schemas['OrderPreview']>[] = [
  [texts.order, ({ order_id: id, external_id: name }) => <a href={`/console/orders/${id}`}>{name ?? id}</a>],
  [texts.created, ({ created_at: at }) => <Time at={at} />],
  [texts.packages, ({ package_count: count }) => count, 'number'],
  [texts.charged, ({ total }) => total, 'number'],
  [texts.currentTotal, ({ current_total: total }) => total, 'number'],
  [texts.newTotal, ({ new_total: total }) => total, 'number'],
];

export async function addRateCard(visit: Visit): Promise<void> {
  const request = { params: keyed(visit), body: cardOf(visit.form) };
  await dataOf(visit.operator.POST('/operator/v1/rate-cards', request));
  redirect(visit, '/console/rate-cards?done=saved');
}
