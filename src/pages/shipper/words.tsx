import type { components } from '../../../generated/rest.js';
import { Chip, stageOf, useVisit } from '../design/index.js';
import type { Text } from '../language.js';
import { Say, Word } from '../page.js';
import type { Bare } from '../session/visit.js';
import { orderStatuses, precisions, statusTitles, shipperTexts as texts } from '../texts.js';
import { Metres } from '../times.js';

export type RestSchemas = components['schemas'];

type Status = RestSchemas['PackageStatus'];

/** Name of a status; one that the carrier added has the carrier's words. */
export const statusTitle = ({ say }: Pick<Bare, 'say'>, { code, high_level_status: name }: Status): string => {
  const title = statusTitles[code];
  return title ? say(title) : name;
};

export const StatusChip = ({ status }: { status: Status }) => (
  <Chip stage={stageOf(status)} text={statusTitle(useVisit(), status)} />
);

export function OrderChip({ status }: { status: string }) {
  const name = orderStatuses[status];
  return <Chip stage={status} text={name ? useVisit().say(name) : status} />;
}

/** Where an address was placed, and how sure that is: “Consolação, São Paulo – SP, 01310-200 (no número, ± 120 m)”. */
export function Placed({ place }: { place: RestSchemas['ResolvedAddress'] }) {
  const { district, city, state, postal_code: code, precision, accuracy_metres: metres } = place;
  return (
    <>
      {[district, `${city} – ${state}`, code?.replace(/(\d{5})(\d{3})/, '$1-$2')].filter(Boolean).join(', ')}{' '}
      <span class="hint">
        (<Word of={precisions} value={precision} />
        {metres !== undefined && (
          <>
            , ± <Metres of={metres} />
          </>
        )}
        )
      </span>
    </>
  );
}

export const addressText = ({ address, complement }: RestSchemas['Address']): string =>
  [address, complement].filter(Boolean).join(', ');

export const TextLink = ({ href, text }: { href: string; text: Text }) => (
  <a href={href}>
    <Say text={text} />
  </a>
);

/** The shipper's own name of an order. */
export const OrderLink = ({ order }: { order: { id: string; external_id: string | null } }) => (
  <a href={`/envios/orders/${order.id}`}>{order.external_id ?? <Say text={texts.unnamed} />}</a>
);

export const PackageLink = ({ carried }: { carried: { loggi_key: string; tracking_code: string } }) => (
  <a href={`/envios/packages/${carried.loggi_key}`}>{carried.tracking_code}</a>
);
