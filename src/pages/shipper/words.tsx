import type { components } from '../../../generated/rest.js';
import { Chip, stageOf, useVisit } from '../design/index.js';
import type { Bare } from '../session/visit.js';
import { orderStatuses, precisions, statusTitles, shipperTexts as texts } from '../texts.js';

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

/** Where an address was placed, and how sure that is: "Consolação, São Paulo – SP, 01310-200 (± 120 m)". */
export function Placed({ place }: { place: RestSchemas['ResolvedAddress'] }) {
  const { say, language } = useVisit();
  const { district, city, state, postal_code: code, precision, accuracy_metres: metres } = place;
  const name = precisions[precision];
  const far = metres === undefined ? undefined : `± ${farText(metres, language)}`;
  const sure = [name && say(name), far].filter(Boolean).join(', ');
  return (
    <>
      {[district, `${city} – ${state}`, code?.replace(/(\d{5})(\d{3})/, '$1-$2')].filter(Boolean).join(', ')}{' '}
      <span class="hint">({sure})</span>
    </>
  );
}

const KILOMETRE = 1_000;

const farText = (metres: number, language: string): string =>
  metres < KILOMETRE
    ? `${metres} m`
    : `${(metres / KILOMETRE).toLocaleString(language, { maximumFractionDigits: 1 })} km`;

export const addressText = ({ address, complement }: RestSchemas['Address']): string =>
  [address, complement].filter(Boolean).join(', ');

/** The shipper's own name of an order. */
export const OrderLink = ({ order }: { order: { id: string; external_id: string | null } }) => (
  <a href={`/envios/orders/${order.id}`}>{order.external_id ?? useVisit().say(texts.unnamed)}</a>
);

export const PackageLink = ({ carried }: { carried: { loggi_key: string; tracking_code: string } }) => (
  <a href={`/envios/packages/${carried.loggi_key}`}>{carried.tracking_code}</a>
);
