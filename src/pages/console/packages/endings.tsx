import type { Text } from '../../language.js';
import { addressChange } from '../../parcel/address-change.js';
import { ending, plainEnding } from '../../session/ending.js';
import type { OperationName } from '../../session/operations.js';
import { packageTexts as texts } from '../../texts.js';
import { Money } from '../../times.js';
import { showPackage } from './package.js';

const PACKAGE = '/operator/v1/packages/{loggi_key}';
const PAGE = '/console/packages/{loggi_key}';

const linkEnding = (submit: Text, operation: OperationName, hint: Text) =>
  plainEnding({
    submit,
    operation,
    hint,
    back: PAGE,
    subjectOf: async ({ ask }) => (await ask(`GET ${PACKAGE}`)).tracking_code,
  });

export const linkRenewal = linkEnding(texts.renewLink, `POST ${PACKAGE}/tracking-link`, texts.renewLinkHint);
export const linkRevocation = linkEnding(texts.revokeLink, `DELETE ${PACKAGE}/tracking-link`, texts.revokeLinkHint);

export const packageAddressChange = addressChange({
  operation: `POST ${PACKAGE}/address-change`,
  read: ({ ask }) => ask(`GET ${PACKAGE}`),
  change: async ({ ask }, options) => {
    const answer = await ask(`POST ${PACKAGE}/address-change`, options);
    const { changed, package: carried, resolved_address: place, previous_total: before, total: after } = answer;
    return { changed, carried, place, before, after };
  },
});

/** Shows what ends with a package and what its order costs then, before the button that does it. */
export const cancellation = ending({
  submit: texts.cancel,
  operation: `POST ${PACKAGE}/cancellation`,
  back: PAGE,
  body: {},
  refused: showPackage,
  about: async ({ ask, say }) => {
    const preview = await ask(`POST ${PACKAGE}/cancellation`, { body: { preview: true } });
    const { loggi_key: key, order_id: id, tracking_code: subject, recipient } = preview.package;
    const order = await ask('GET /api/v1/orders/{id}', { path: { id } });
    const isLast = order.packages.every((each) => each.status.stage === 'cancelled' || each.loggi_key === key);
    return {
      subject,
      consequences: [texts.cancelHint, isLast ? texts.cancelLast : texts.cancelOthers],
      facts: [
        [texts.recipient, recipient.name],
        [texts.order, <a href={`/console/orders/${id}`}>{order.external_id ?? say(texts.seeOrder)}</a>],
        [texts.priceBefore, <Money amount={preview.previous_total} />],
        [texts.priceAfter, <Money amount={preview.total} />],
      ],
    };
  },
});
