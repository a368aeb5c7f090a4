import { Say } from '../page.js';
import { shipperTexts as texts } from '../texts.js';

/** The shipper's own name of an order. */
export const OrderLink = ({ order }: { order: { id: string; external_id: string | null } }) => (
  <a href={`/envios/orders/${order.id}`}>{order.external_id ?? <Say text={texts.unnamed} />}</a>
);

export const PackageLink = ({ carried }: { carried: { loggi_key: string; tracking_code: string } }) => (
  <a href={`/envios/packages/${carried.loggi_key}`}>{carried.tracking_code}</a>
);
