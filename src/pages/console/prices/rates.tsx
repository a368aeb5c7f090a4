import { Field, Time } from '../components.js';
import type { Form } from '../forms.js';
import { show } from '../frame.js';
import { type Column, Listing, pageQuery } from '../lists.js';
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
        action: '/console/rate-cards',
        operation: 'POST /operator/v1/rate-cards',
        submit: texts.add,
        isDangerous: true,
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

/** `POST /console/rate-cards` */
export async function addRateCard(visit: Visit, form: Form): Promise<void> {
  const [base = '', per_km = '', per_kg = '', per_extra_stop = ''] = amounts.map((field) => amountOf(form.text(field)));
  const volumetric_cm3_per_kg = Number(form.text('volumetric_cm3_per_kg'));
  const body = { base, per_km, per_kg, per_extra_stop, volumetric_cm3_per_kg };
  const params = { header: { 'Idempotency-Key': form.text('key') } };
  await dataOf(visit.operator.POST('/operator/v1/rate-cards', { params, body }));
  redirect(visit, '/console/rate-cards?done=saved');
}
