import { Field, PostForm } from '../design/forms.js';
import { Page } from '../design/frame.js';
import { addressChange } from '../parcel/address-change.js';
import { ending } from '../session/ending.js';
import type { RestSchemas } from '../session/operations.js';
import { keyed, param, type Visit } from '../session/visit.js';
import { shipperTexts as texts } from '../texts.js';
import { Money } from '../times.js';
import { showPackage } from './packages.js';

const PACKAGE = '/api/v1/packages/{loggi_key}';
const PAGE = '/envios/packages/{loggi_key}';

export const packageAddressChange = addressChange({
  operation: `POST ${PACKAGE}/address-change`,
  read: ({ ask }) => ask(`GET ${PACKAGE}`),
  change: async (visit, options) => {
    const { changed, order, previous_pricing: before } = await visit.ask(`POST ${PACKAGE}/address-change`, options);
    const carried = packageIn(order, visit);
    return { changed, carried, place: carried.resolved_address, before: before.total, after: order.pricing.total };
  },
});

function packageIn({ packages }: RestSchemas['Order'], visit: Visit): RestSchemas['OrderPackage'] {
  const changed = packages.find((each) => each.loggi_key === param(visit, 'loggi_key'));
  if (!changed) throw new Error('an answer about a package does not have it');
  return changed;
}

export const cancellation = ending({
  submit: texts.cancellation,
  operation: `POST ${PACKAGE}/cancellation`,
  back: PAGE,
  body: {},
  refused: showPackage,
  about: async (visit) => {
    const { order, previous_pricing: before } = await visit.ask(`POST ${PACKAGE}/cancellation`, {
      body: { preview: true },
    });
    return {
      subject: packageIn(order, visit).tracking_code,
      consequences: [texts.cancelHint],
      facts: [
        [texts.priceBefore, <Money amount={before.total} />],
        [texts.priceAfter, <Money amount={order.pricing.total} />],
      ],
    };
  },
});

const RETURN = 'POST /api/v1/packages/{loggi_key}/return';

export async function showReturn({ ask, say, url }: Visit) {
  const { tracking_code: code } = await ask(`GET ${PACKAGE}`);
  return (
    <Page title={`${say(texts.return)} ${code}`}>
      <PostForm action={url.pathname} operation={RETURN} submit={texts.return}>
        <p>{say(texts.returnHint)}</p>
        <Field name="external_id" label={texts.reference} maxLength={255} />
        <Field name="instructions" label={texts.instructions} maxLength={255} />
      </PostForm>
    </Page>
  );
}

export async function returnPackage(visit: Visit): Promise<string> {
  const { optional } = visit.form;
  const body = { external_id: optional('external_id'), instructions: optional('instructions') };
  const order = await visit.ask(RETURN, { ...keyed(visit), body });
  return `/envios/orders/${order.id}?done=ordered`;
}
