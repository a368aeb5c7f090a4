import { plainNumber } from '../../amounts.js';
import { plainTime } from '../../dates.js';
import { Field, type FieldProps, Fields, PostForm } from '../../design/forms.js';
import { Page } from '../../design/frame.js';
import { factList, LinkLine } from '../../design/pieces.js';
import { Addition, type Column, Listing, pageQuery, Table } from '../../design/tables.js';
import type { Form } from '../../forms.js';
import type { BodyOf } from '../../operations.js';
import { priceTexts as texts } from '../../texts.js';
import { asked, calling, keyed, type Schemas, type Visit } from '../../visit.js';
import { Money, NumberText, Say, Time, Verbatim } from '../../written.js';
import { ZonesEditor, ZonesSummary, zoneFields, zonesIn } from './zones.js';

type RateCard = Schemas['RateCard'];

export const STANDARD = 'standard';

const amounts = ['base', 'per_km', 'per_kg', 'per_extra_stop'] as const;
const fields = [...amounts, 'volumetric_cm3_per_kg'] as const;
/** The optional fields of a rate card. */
const options = ['urban_km', 'zones.economy_days', 'ad_valorem.percent', 'ad_valorem.least'] as const;

/** The fields that name a rate card and say when it starts. */
const start = ['name', 'valid_from'] as const;

const ADDITION = 'POST /operator/v1/rate-cards';
const PREVIEW = 'POST /operator/v1/rate-cards/preview';

export async function showRates(visit: Visit) {
  const [current, cards] = await Promise.all([
    // A page that shows a refusal has no query. Its fields come from the form.
    visit.ask('GET /operator/v1/rate-cards/current', { query: { name: asked(visit, 'name') } }),
    visit.ask('GET /operator/v1/rate-cards', { query: pageQuery(visit) }),
  ]);
  const account = asked(visit, 'user_id') || visit.form.text('user_id');
  return (
    <Page title={texts.rates}>
      <Listing caption={texts.history} columns={cardColumns} list={cards}>
        <Addition
          action="/console/rate-cards/preview"
          operation={PREVIEW}
          submit={texts.preview}
          hidden={{ user_id: account }}
          isLong
        >
          {account !== '' && <p>{visit.say(texts.ofAccount)}</p>}
          <div class="fields">
            <Field name="name" label={texts.cardName} value={current.name ?? STANDARD} maxLength={40} />
            <Field name="valid_from" type="datetime-local" label={texts.valid_from} hint={texts.fromHint} />
            <Fields of={fields.map((name) => ({ ...fieldOf(name, String(current[name])), isRequired: true }))} />
            <Fields of={options.map((name) => fieldOf(name, optionsOf(current)[name]))} />
          </div>
          <ZonesSummary of={current.zones} />
          <ZonesEditor stored={current.zones} />
        </Addition>
      </Listing>
    </Page>
  );
}

/** Shows the name of a rate card. `standard` is the name of the service itself, so it is translated. */
export const CardName = ({ name }: { name: string }) =>
  name === STANDARD ? <Say text={texts.standard} /> : <Verbatim>{name}</Verbatim>;

/** A field for a number, with a decimal comma. */
const fieldOf = (name: (typeof fields | typeof options)[number], value: string): FieldProps => ({
  ...{ name, label: texts[name], inputMode: 'decimal', value: value.replace('.', ',') },
});

const cardColumns: readonly Column<RateCard>[] = [
  [texts.version, ({ version }) => version, 'number'],
  [
    texts.cardName,
    ({ name = STANDARD }) => (
      <a href={`?name=${name}`}>
        <CardName name={name} />
      </a>
    ),
  ],
  ...amounts.map((field): Column<RateCard> => [texts[field], (card) => <Money amount={card[field]} />, 'number']),
  [texts.volumetric_cm3_per_kg, (card) => <NumberText of={card.volumetric_cm3_per_kg} />, 'number'],
  [texts.since, ({ valid_from: from, created_at: at }) => <Time at={from ?? at} />],
];

const optionsOf = ({ urban_km, zones, ad_valorem }: RateCard): Record<(typeof options)[number], string> => ({
  urban_km: String(urban_km ?? ''),
  'zones.economy_days': String(zones?.economy_days ?? ''),
  'ad_valorem.percent': ad_valorem?.percent ?? '',
  'ad_valorem.least': ad_valorem?.least ?? '',
});

function cardOf(form: Form): Omit<BodyOf<typeof PREVIEW>, 'user_id'> {
  const numberIn = (field: string) => plainNumber(form.text(field), field);
  const [base = '', per_km = '', per_kg = '', per_extra_stop = ''] = amounts.map((field) => numberIn(field));
  const [percent, least] = [options[2], options[3]].map((name) => form.optional(name));
  return {
    ...{ base, per_km, per_kg, per_extra_stop },
    volumetric_cm3_per_kg: Number(numberIn('volumetric_cm3_per_kg')),
    urban_km: form.optional('urban_km') === undefined ? undefined : Number(numberIn('urban_km')),
    zones: zonesIn(form),
    ad_valorem:
      percent === undefined
        ? undefined
        : { percent: numberIn(options[2]), least: least === undefined ? '0.00' : numberIn(options[3]) },
  };
}

/** Shows how the rate card would change prices, and a form that puts it in force. */
export async function previewCard(visit: Visit) {
  const { say, form, ask } = visit;
  const body = { ...cardOf(form), user_id: form.optional('user_id') };
  const preview = await ask(PREVIEW, { ...keyed(visit), body });
  const typed = Object.fromEntries([...fields, ...options, ...start].map((field) => [field, form.text(field)]));
  const hidden = { ...typed, ...zoneFields(form) };
  const labels = { ...texts, name: texts.cardName };
  const lineOf = (field: (typeof fields | typeof start)[number]) => `${say(labels[field])}: ${form.text(field)}`;
  const version = ` (${say(texts.version)} ${preview.current_version})`;
  return (
    <Page title={texts.preview}>
      <p>{say(body.user_id === undefined ? texts.previewOf : texts.previewOfAccount)}</p>
      {factList([
        [texts.orders, preview.order_count],
        [texts.dearer, preview.dearer_count],
        [texts.cheaper, preview.cheaper_count],
        [texts.currentTotal, [<Money amount={preview.current_total} />, version]],
        [texts.newTotal, <Money amount={preview.new_total} />],
      ])}
      <Table caption={texts.preview} columns={previewColumns} rows={preview.orders} />
      <PostForm action="/console/rate-cards" operation={ADDITION} submit={texts.add} kind="danger" hidden={hidden}>
        <p>{[...start.filter((field) => form.optional(field)), ...fields].map(lineOf).join('; ')}</p>
        <ZonesSummary of={body.zones} />
      </PostForm>
      <LinkLine href="/console/rate-cards" text={texts.rates} />
    </Page>
  );
}

const previewColumns: readonly Column<Schemas['OrderPreview']>[] = [
  [
    texts.order,
    ({ order_id: id, external_id: name }) => (
      <a href={`/console/orders/${id}`}>{name ?? <Say text={texts.seeOrder} />}</a>
    ),
  ],
  [texts.created, ({ created_at: at }) => <Time at={at} />],
  [texts.packages, ({ package_count: count }) => count, 'number'],
  [texts.charged, ({ total }) => <Money amount={total} />, 'number'],
  [texts.currentTotal, ({ current_total: total }) => <Money amount={total} />, 'number'],
  [texts.newTotal, ({ new_total: total }) => <Money amount={total} />, 'number'],
];

export const addRateCard = calling(ADDITION, '/console/rate-cards', 'saved', ({ form }): BodyOf<typeof ADDITION> => {
  const from = form.optional('valid_from');
  return { ...cardOf(form), name: form.optional('name'), valid_from: from === undefined ? undefined : plainTime(from) };
});
