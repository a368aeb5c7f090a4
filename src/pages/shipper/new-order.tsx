import type { VNode } from 'preact';
import { Choice, Field, PostForm } from '../design/forms.js';
import { Page } from '../design/frame.js';
import { Card, factList } from '../design/pieces.js';
import { type Column, Table, TableSection } from '../design/tables.js';
import { Placed } from '../shared/words.js';
import {
  shipperFields as labels,
  packageTexts,
  presetTexts,
  type Text,
  shipperTexts as texts,
  valueWords,
} from '../texts.js';
import { keyed, type RestSchemas, type Visit } from '../visit.js';
import { DateText, Money, Time } from '../written.js';
import { type OrderField, orderOf, packageFields } from './fields.js';
import { priceColumns } from './orders.js';
import { PresetChoice, SAVED_PICKUP, savedBox, withPresets } from './preset-choice.js';

const ORDER = 'POST /api/v1/orders';
const ESTIMATE = 'POST /api/v1/estimates';
const PATH = '/envios/new-order';
/** Each press adds one package to the form. */
const MAX_PACKAGES = 20;

const senderFields = [
  { path: 'pickups.0.address.address', label: labels['pickups.0.address.address'], isRequired: true },
  { path: 'pickups.0.address.complement', label: labels['address.complement'] },
  { path: 'pickups.0.sender.name', label: labels['pickups.0.sender.name'] },
  { path: 'pickups.0.sender.phone', label: labels['pickups.0.sender.phone'] },
  { path: 'external_id', label: labels.external_id },
  { path: 'ready_at', label: labels.ready_at, type: 'datetime-local', hint: packageTexts.atHint } as const,
];

const countOf = ({ form }: Visit): number =>
  Math.min(MAX_PACKAGES, Math.max(1, Math.trunc(Number(form.text('count'))) || 1));

const fieldsOfPackage = (at: number) =>
  packageFields.map((field) => ({ ...field, path: `packages.${at}.${field.path}` }));

const indexes = (count: number): number[] => Array.from({ length: count }, (_, at) => at);

type TextOf = (path: string) => string;

export const showNewOrder = (visit: Visit): Promise<VNode> => showForm(visit, countOf(visit));

async function showForm({ say, form, ask }: Visit, count: number, textOf: TextOf = form.text): Promise<VNode> {
  const presets = await ask('GET /api/v1/presets');
  return (
    <Page title={texts.newOrder} scripts={['coverage.js']}>
      <PostForm action={PATH} operation={ESTIMATE} submit={texts.quote} hidden={{ count: String(count) }} hasButtons>
        <section class="card fields">
          <h2>{say(labels.sender)}</h2>
          <PresetChoice name={SAVED_PICKUP} label={presetTexts.pickup} presets={presets.pickups} />
          {senderFields.map((field) => (
            <Typed {...field} textOf={textOf} />
          ))}
        </section>
        {indexes(count).map((at) => (
          <section class="card fields">
            <h2>{`${say(texts.package)} ${at + 1}`}</h2>
            <PresetChoice name={savedBox(at)} label={presetTexts.box} presets={presets.boxes} />
            {fieldsOfPackage(at).map((field) => (
              <Typed {...field} textOf={textOf} />
            ))}
            {count > 1 && (
              <button type="submit" class="secondary" name="remove" value={String(at)} formNoValidate>
                {`${say(texts.removePackage)} ${at + 1}`}
              </button>
            )}
          </section>
        ))}
        {count < MAX_PACKAGES && (
          <button type="submit" class="secondary" name="next" value="add" formNoValidate>
            {say(texts.addPackage)}
          </button>
        )}
      </PostForm>
    </Page>
  );
}

const yesOrNo = Object.entries({ '': texts.no, sim: texts.yes });

type TypedProps = Pick<OrderField, 'path' | 'label' | 'isRequired' | 'inputMode' | 'isFlag' | 'type'> & {
  hint?: Text;
  textOf: TextOf;
};

/** A field that keeps its typed text over all steps of the form. */
function Typed({ path: name, label, isRequired = false, inputMode, isFlag, type = 'text', hint, textOf }: TypedProps) {
  const value = textOf(name);
  if (isFlag) return <Choice {...{ name, label, value }} options={yesOrNo} />;
  const length = type === 'text' && { maxLength: 255 };
  return <Field {...{ name, label, type, value, isRequired, hint }} {...(inputMode && { inputMode })} {...length} />;
}

/** The form without the package at the index: those after it move up. */
function withoutPackage(visit: Visit, index: number): Promise<VNode> {
  const textOf = (path: string) =>
    visit.form.text(path.replace(/^packages\.(\d+)/, (same, at) => (at < index ? same : `packages.${Number(at) + 1}`)));
  return showForm(visit, Math.max(1, countOf(visit) - 1), textOf);
}

/** Shows what the order would be, or the form with one more package. */
export async function quote(visit: Visit): Promise<VNode> {
  if (visit.form.text('next') === 'correct') return showNewOrder(visit);
  if (visit.form.text('next') === 'use') return showForm(visit, countOf(visit), await withPresets(visit));
  if (visit.form.has('remove')) return withoutPackage(visit, Number(visit.form.text('remove')));
  if (visit.form.text('next') === 'add') return showForm(visit, Math.min(MAX_PACKAGES, countOf(visit) + 1));
  const { pickups, packages } = typedOrder(visit);
  const estimate = await visit.ask(ESTIMATE, { body: typedOrder(visit) });
  const pickup = visit.say(labels['pickups.0.address.address']);
  const stops: Stop[] = [
    ...pickups.map(({ address }, at) => ({ name: pickup, typed: address.address, read: estimate.pickups[at] })),
    ...packages.map(({ address, recipient: { name } }, at) => {
      return { name, typed: address.address, read: estimate.packages[at] };
    }),
  ];
  const fields = sentFields(visit);
  return (
    <Page title={texts.quote}>
      <p>{visit.say(texts.checkAddresses)}</p>
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

/** Without services that are later than another one and no cheaper. */
const worthwhile = (services: readonly ServiceEstimate[]): ServiceEstimate[] =>
  services.filter(({ pricing, promised_date: date }) => {
    const isBetter = (other: ServiceEstimate) => Number(other.pricing.total) <= Number(pricing.total);
    return !services.some((other) => other.promised_date < date && isBetter(other));
  });

const typedOrder = (visit: Visit) => orderOf((path) => visit.form.text(path).trim(), countOf(visit));

type Estimate = RestSchemas['OrderEstimate'];
type ServiceEstimate = RestSchemas['ServiceEstimate'];

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

/** The order as it was typed, for the form that places it. */
function sentFields(visit: Visit): Record<string, string> {
  const fields = [...senderFields, ...indexes(countOf(visit)).flatMap(fieldsOfPackage)];
  const typed = fields.map(({ path }) => [path, visit.form.text(path)]).filter(([, text]) => text !== '');
  return { ...Object.fromEntries(typed), count: String(countOf(visit)) };
}

function Offer({ offer, fields }: { offer: ServiceEstimate; fields: Record<string, string> }) {
  const { service, pricing, promised_date: date } = offer;
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

/** Places the order at the price that was shown, or not at all. */
export async function placeOrder(visit: Visit): Promise<string> {
  const body = { ...typedOrder(visit), expected_total: visit.form.text('expected_total') };
  const order = await visit.ask(ORDER, { ...keyed(visit), body });
  return `/envios/orders/${order.id}?done=ordered`;
}

/** After a refusal: the quote as it is now, or the form where that is refused, too. */
export const showRefused = (visit: Visit) =>
  visit.refusal?.reason === 'price_changed' ? quote(visit) : showNewOrder(visit);
