import type { VNode } from 'preact';
import { Field, PostForm } from '../design/forms.js';
import { Page } from '../design/frame.js';
import { factList, Section } from '../design/pieces.js';
import type { OperationName } from '../operations.js';
import type { Outcome, Route } from '../session/place.js';
import { packageTexts as texts } from '../texts.js';
import { keyed, type RestSchemas, type Schemas, type Visit } from '../visit.js';
import { DateText, Money } from '../written.js';
import { addressText, Placed } from './words.js';

type Carried = Pick<Schemas['TrackedPackage'], 'loggi_key' | 'tracking_code' | 'address' | 'promised_date'>;

interface Changed {
  /** False for a preview. */
  changed: boolean;
  carried: Carried;
  place: RestSchemas['ResolvedAddress'];
  before: string;
  after: string;
}

/** An address change by the operation of one interface. */
interface AddressChange {
  operation: OperationName;
  read: (visit: Visit) => Promise<Carried>;
  /** Without `total` it makes a preview. With `total` it changes the address at that price. */
  change: (
    visit: Visit,
    asked: ReturnType<typeof keyed> & { body: { address: RestSchemas['Address']; total: string | undefined } },
  ) => Promise<Changed>;
}

/** Shows the price for the typed address. A second form confirms that price and changes the address. */
export const addressChange = ({ operation, read, change }: AddressChange): Route => ({
  page: async (visit) => showForm(visit, operation, await read(visit)),
  work: async (visit): Promise<Outcome> => {
    const { text, optional } = visit.form;
    const complement = optional('address.complement');
    const address = { address: text('address.address').trim(), ...(complement !== undefined && { complement }) };
    const answer = await change(visit, { ...keyed(visit), body: { address, total: optional('total') } });
    const { changed, carried } = answer;
    if (changed) return `${visit.place.home}/packages/${carried.loggi_key}?done=saved`;
    return showForm(visit, operation, carried, <Price {...answer} action={visit.url.pathname} operation={operation} />);
  },
});

function showForm({ say, url }: Visit, operation: OperationName, carried: Carried, price?: VNode): VNode {
  const { address, complement } = carried.address;
  return (
    <Page title={`${say(texts.changeAddress)} ${carried.tracking_code}`}>
      {price}
      <PostForm action={url.pathname} operation={operation} submit={texts.showPrice}>
        <Field name="address.address" label={texts.address} value={address} isRequired maxLength={255} />
        <Field name="address.complement" label={texts.complement} value={complement} maxLength={255} />
      </PostForm>
    </Page>
  );
}

function Price({ carried, place, before, after, ...form }: Changed & { action: string; operation: OperationName }) {
  const { address, complement = '' } = carried.address;
  const hidden = { 'address.address': address, 'address.complement': complement, total: after };
  return (
    <Section title={texts.price}>
      {factList([
        [texts.address, addressText(carried.address)],
        [texts.readAs, <Placed place={place} />],
        [texts.promised, <DateText at={carried.promised_date} />],
        [texts.priceBefore, <Money amount={before} />],
        [texts.priceThere, <Money amount={after} />],
      ])}
      <PostForm {...form} hidden={hidden} submit={texts.changeAddress} />
    </Section>
  );
}
