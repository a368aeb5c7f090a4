import { plainNumber } from '../../amounts.js';
import { type FieldProps, Fields, PostForm } from '../../design/forms.js';
import { Page } from '../../design/frame.js';
import { factList, LinkLine } from '../../design/pieces.js';
import { Addition, type Column, Listing, pageQuery, Table } from '../../design/tables.js';
import type { Form } from '../../forms.js';
import type { BodyOf } from '../../operations.js';
import { priceTexts as texts } from '../../texts.js';
import { calling, keyed, type Schemas, type Visit } from '../../visit.js';
import { Money, NumberText, Say, Time } from '../../written.js';
import { ZonesEditor, zoneFields, zonesIn } from './zones.js';

type RateCard = Schemas['RateCard'];

const amounts = ['base', 'per_km', 'per_kg', 'per_extra_stop'] as const;
const fields = [...amounts, 'volumetric_cm3_per_kg'] as const;
/** Fields of a card that it may be without. */
const options = ['urban_km', 'zones.economy_days', 'ad_valorem.percent', 'ad_valorem.least'] as const;

const ADDITION = 'POST /operator/v1/rate-cards';
const PREVIEW = 'POST /operator/v1/rate-cards/preview';

export async function showRates(visit: Visit) {
  const [current, cards] = await Promise.all([
    visit.ask('GET /operator/v1/rate-cards/current'),
    visit.ask('GET /operator/v1/rate-cards', { query: pageQuery(visit) }),
  ]);
  return (
    <Page title={texts.rates}>
      <Listing caption={texts.history} columns={cardColumns} list={cards}>
        <Addition action="/console/rate-cards/preview" operation={PREVIEW} submit={texts.preview}>
          <div class="fields">
            <Fields of={fields.map((name) => ({ ...fieldOf(name, String(current[name])), isRequired: true }))} />
            <Fields of={options.map((name) => fieldOf(name, optionsOf(current)[name]))} />
          </div>
          <ZonesEditor stored={current.zones} />
          <p class="hint">{visit.say(texts.zonesHint)}</p>
        </Addition>
      </Listing>
    </Page>
  );
}

/** A number as it is typed in Brazil. */
const fieldOf = (name: (typeof fields | typeof options)[number], value: string): FieldProps => ({
  ...{ name, label: texts[name], inputMode: 'decimal', value: value.replace('.', ',') },
});

const cardColumns: readonly Column<RateCard>[] = [
  [texts.version, ({ version }) => version, 'number'],
  ...amounts.map((field): Column<RateCard> => [texts[field], (card) => <Money amount={card[field]} />, 'number']),
  [texts.volumetric_cm3_per_kg, (card) => <NumberText of={card.volumetric_cm3_per_kg} />, 'number'],
  [texts.since, ({ created_at: at }) => <Time at={at} />],
];

const optionsOf = ({ urban_km, zones, ad_valorem }: RateCard): Record<(typeof options)[number], string> => ({
  urban_km: String(urban_km ?? ''),
  'zones.economy_days': String(zones?.economy_days ?? ''),
  'ad_valorem.percent': ad_valorem?.percent ?? '',
  'ad_valorem.least': ad_valorem?.least ?? '',
});

function cardOf(form: Form): BodyOf<typeof ADDITION> {
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

/** Shows the changes that the card would make, and the form that puts it in force. */
export async function previewCard(visit: Visit) {
  const { say, form, ask } = visit;
  const preview = await ask(PREVIEW, { ...keyed(visit), body: cardOf(form) });
  const typed = Object.fromEntries([...fields, ...options].map((field) => [field, form.text(field)]));
  const hidden = { ...typed, ...zoneFields(form) };
  const version = ` (${say(texts.version)} ${preview.current_version})`;
  return (
    <Page title={texts.preview}>
      <p>{say(texts.previewOf)}</p>
      {factList([
        [texts.orders, preview.order_count],
        [texts.dearer, preview.dearer_count],
        [texts.cheaper, preview.cheaper_count],
        [texts.currentTotal, [<Money amount={preview.current_total} />, version]],
        [texts.newTotal, <Money amount={preview.new_total} />],
      ])}
      <Table caption={texts.preview} columns={previewColumns} rows={preview.orders} />
      <PostForm action="/console/rate-cards" operation={ADDITION} submit={texts.add} kind="danger" hidden={hidden}>
        <p>{fields.map((field) => `${say(texts[field])}: ${form.text(field)}`).join('; ')}</p>
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

export const addRateCard = calling(ADDITION, '/console/rate-cards', 'saved', ({ form }) => cardOf(form));
