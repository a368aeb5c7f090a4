import type { VNode } from 'preact';
import { measure, plainAmount } from '../../amounts.js';
import { Field, Filters } from '../../design/forms.js';
import { Page } from '../../design/frame.js';
import { LinkLine } from '../../design/pieces.js';
import { RefusalError } from '../../operations.js';
import { detailText, shipperFields as labels, refusalText, shipperTexts as texts, valueWords } from '../../texts.js';
import { asked, type RestSchemas, useVisit, type Visit } from '../../visit.js';
import { DateText, Money, Say, Time, Word } from '../../written.js';
import { GRAMS } from '../fields.js';
import { MAX_PACKAGES, PATH, quotedNames } from './draft.js';
import { codeIn, type Parcel } from './places.js';

type ServiceEstimate = RestSchemas['ServiceEstimate'];

/** The prices, or the refusal instead. Undefined while a CEP or a size is missing. */
type Quoted = { services: readonly ServiceEstimate[] } | { refusal: RefusalError } | undefined;

/** Drops each service if another one is earlier and not dearer. */
export const worthwhile = (services: readonly ServiceEstimate[]): ServiceEstimate[] =>
  services.filter(({ pricing, promised_date: date }) => {
    const isBetter = (other: ServiceEstimate) => Number(other.pricing.total) <= Number(pricing.total);
    return !services.some((other) => other.promised_date < date && isBetter(other));
  });

const isWhole = ({ to, value: _, ...sizes }: Parcel): boolean =>
  codeIn(to) !== '' && Object.values(sizes).every((size) => measure(size) > 0);

/** Asks for price and date of the parcels. Undefined until all CEPs and sizes are there. */
export async function quotedFor(visit: Visit, from: string, parcels: readonly Parcel[]): Promise<Quoted> {
  if (codeIn(from) === '' || parcels.length === 0 || !parcels.every(isWhole)) return undefined;
  try {
    const packages = parcels.map(({ to, value, weight, ...sides }, at) => ({
      place: { postal_code: codeIn(to) },
      dimensions: {
        width: measure(sides.width),
        height: measure(sides.height),
        length: measure(sides.length),
        weight: Math.round(measure(weight) * GRAMS),
      },
      declared_value: plainAmount(value, `packages.${at}.declared_value`) || undefined,
    }));
    const body = { pickups: [{ postal_code: codeIn(from) }], packages };
    return await visit.ask('POST /api/v1/quotes', { body });
  } catch (error) {
    if (!(error instanceof RefusalError) || error.code !== 'VALIDATION_ERROR') throw error;
    return { refusal: error };
  }
}

/** Shows price and date of each service. `new-order.js` replaces this part while a person types. */
export function Prices({ quoted }: { quoted: Quoted }) {
  const { say } = useVisit();
  return (
    <div id="prices" class="prices" role="status">
      {quoted === undefined && <p class="hint">{say(texts.priceWaits)}</p>}
      {quoted && 'refusal' in quoted && (
        <p class="error">
          {quoted.refusal.details.map((detail) => detailText(detail, say)).join('; ') ||
            say(refusalText(quoted.refusal))}
        </p>
      )}
      {quoted &&
        'services' in quoted && [
          worthwhile(quoted.services).map((offer) => <Offer {...offer} />),
          <p class="hint">{say(texts.byPostalCode)}</p>,
        ]}
    </div>
  );
}

const Offer = ({ service, pricing, promised_date: date }: ServiceEstimate) => (
  <p>
    <strong>
      <Money amount={pricing.total} />
    </strong>{' '}
    <span>
      <Word of={valueWords.services} value={service} />, <Say text={texts.arrives} /> <DateText at={date} />
      {pricing.valid_until && [' · ', <Say text={texts.priceUntil} />, ' ', <Time at={pricing.valid_until} />]}
    </span>
  </p>
);

/** The parcels in the address. Each parameter is repeated once per parcel. */
function askedParcels({ url }: Visit): Parcel[] {
  const valuesOf = (name: string) => url.searchParams.getAll(name).map((text) => text.trim().slice(0, 30));
  const [widths, heights, lengths] = [valuesOf('width'), valuesOf('height'), valuesOf('length')];
  const [weights, values] = [valuesOf('weight'), valuesOf('value')];
  return valuesOf('to')
    .slice(0, MAX_PACKAGES)
    .map((to, at) => ({
      ...{ to, width: widths[at] ?? '', height: heights[at] ?? '', length: lengths[at] ?? '' },
      ...{ weight: weights[at] ?? '', value: values[at] ?? '' },
    }));
}

const fields = [
  { name: 'from', label: texts.fromPostalCode, inputMode: 'numeric' },
  { name: 'to', label: texts.toPostalCode, inputMode: 'numeric' },
  { name: 'width', label: labels['dimensions.width'], inputMode: 'decimal' },
  { name: 'height', label: labels['dimensions.height'], inputMode: 'decimal' },
  { name: 'length', label: labels['dimensions.length'], inputMode: 'decimal' },
  { name: 'weight', label: labels['dimensions.weight'], inputMode: 'decimal' },
  { name: 'value', label: labels.declared_value, inputMode: 'decimal' },
] as const;

/** Shows a quote without personal data. Its address can be saved and shared. */
export async function showQuote(visit: Visit): Promise<VNode> {
  const parcels = askedParcels(visit);
  const quoted = await quotedFor(visit, asked(visit, 'from'), parcels);
  const isPriced = quoted !== undefined && 'services' in quoted;
  return (
    <Page title={texts.quotePage}>
      <p>{visit.say(texts.quoteHint)}</p>
      <Filters submit={texts.seePrice}>
        {fields.map(({ name, ...field }) => (
          <Field {...{ name, ...field }} value={asked(visit, name)} isRequired={name !== 'value'} maxLength={20} />
        ))}
      </Filters>
      {parcels.length > 0 && <Prices quoted={quoted} />}
      {isPriced && parcels.length === 1 && (
        <LinkLine href={`${PATH}?${quotedQuery(visit)}`} text={texts.orderThis} kind="button" />
      )}
    </Page>
  );
}

const quotedQuery = (visit: Visit): string =>
  String(new URLSearchParams(quotedNames.map((name) => [name, asked(visit, name)])));
