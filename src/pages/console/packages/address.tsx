import { packageTexts as texts } from '../../texts.js';
import { DateText } from '../../times.js';
import { Facts, Field, PostForm, Section } from '../components.js';
import { show } from '../frame.js';
import { dataOf, type OperationName, type Schemas } from '../operations.js';
import { keyed, redirect, type Visit } from '../visit.js';
import { packagePath } from './files.js';
import { addressText, placeText } from './list.js';

const PATH = '/operator/v1/packages/{loggi_key}/address-change';
const operation = `POST ${PATH}` satisfies OperationName;

/** Shows the price with the address that was typed; a form that names that price changes the address. */
export async function changeAddress(visit: Visit): Promise<void> {
  const { operator, form } = visit;
  const params = { ...packagePath(visit), ...keyed(visit) };
  const [complement, total] = [form.optional('complement'), form.optional('total')];
  const address = { address: form.text('address').trim(), ...(complement !== undefined && { complement }) };
  const body = { address, ...(total !== undefined && { total }) };
  const answer = await dataOf(operator.POST(PATH, { params, body }));
  if (answer.changed) return redirect(visit, `/console/packages/${params.path.loggi_key}?done=saved`);
  showForm(visit, answer.package, <Price preview={answer} />);
}

export async function showAddressChange(visit: Visit): Promise<void> {
  const params = packagePath(visit);
  showForm(visit, await dataOf(visit.operator.GET('/operator/v1/packages/{loggi_key}', { params })));
}

const pathOf = ({ loggi_key: key }: Schemas['TrackedPackage']): string => `/console/packages/${key}/address-change`;

function showForm(visit: Visit, tracked: Schemas['TrackedPackage'], price?: ReturnType<typeof Price>): void {
  const { address, complement } = tracked.address;
  show(
    visit,
    `${visit.say(texts.changeAddress)} ${tracked.tracking_code}`,
    <>
      {price}
      <PostForm action={pathOf(tracked)} operation={operation} submit={texts.showPrice}>
        <Field name="address" label={texts.address} value={address} isRequired maxLength={255} />
        <Field name="complement" label={texts.complement} value={complement} maxLength={255} />
      </PostForm>
    </>,
  );
}

function Price({ preview }: { preview: Schemas['ChangedPackage'] }) {
  const { package: changed, resolved_address: place, previous_total: before, total } = preview;
  const { address, complement = '' } = changed.address;
  const placed = [place.district, placeText(place), place.postal_code].filter(Boolean).join(', ');
  return (
    <Section title={texts.price}>
      <Facts
        facts={[
          [texts.address, addressText(changed.address)],
          [texts.readAs, `${placed} (${place.precision})`],
          [texts.promised, <DateText at={changed.promised_date} />],
          [texts.priceBefore, `R$ ${before}`],
          [texts.priceThere, `R$ ${total}`],
        ]}
      />
      <PostForm
        action={pathOf(changed)}
        operation={operation}
        submit={texts.changeAddress}
        isDangerous
        hidden={{ address, complement, total }}
      />
    </Section>
  );
}
