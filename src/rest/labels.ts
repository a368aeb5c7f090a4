import type { Actor } from '../base/actor.js';
import { conflict, invalid, notFound } from '../base/errors.js';
import { readAccessKey } from '../base/tax.js';
import type { Label, LabelFormat, LabelLayout } from '../labels/label.js';
import { labelFile, labelsGate } from '../labels/print.js';
import { type LabelledPackage, labelledPackages } from '../orders/labelled-packages.js';
import { orderOf } from '../orders/lock-order.js';
import type { Package } from '../packages/package.js';
import { getPackage } from '../packages/queries.js';
import type { RestDeps, SomeHandlers } from './deps.js';

/** Packages by order, and the name for the file of their labels. */
interface Named {
  name: string;
  orders: readonly { id: string; packages: readonly Package[] }[];
}

const MAX_LABELS = 200;

export const labelsHandlers = ({ db, trackingLinks }: RestDeps) => {
  /** Makes the file in the account's turn. Nothing is read before that. */
  function answer(
    { actor, signal }: { actor: Actor; signal: AbortSignal },
    { format = 'pdf', layout = '100x150' }: { format?: LabelFormat; layout?: LabelLayout },
    read: () => Promise<Named>,
  ) {
    if (format === 'zpl' && layout === 'a4')
      throw invalid([{ field: 'layout', code: 'contradiction', message: 'a4 is for the format pdf only' }]);
    return labelsGate.pass(actor.accountId, signal, async () => {
      const { name, orders } = await read();
      const labelled: LabelledPackage[] = [];
      for (const { id, packages } of orders) labelled.push(...(await labelledPackages(db, id, packages)));
      if (labelled.length === 0) throw conflict('package_cancelled', 'A cancelled package has no label.');
      const labels = labelled.map((each) => toLabel(each, trackingLinks.urlOf(each.labelled, 'public')));
      const headers = { 'Content-Disposition': `inline; filename="${name}.${format}"` };
      return { status: 200 as const, headers, ...(await labelFile(name, labels, { format, layout }, signal)) };
    });
  }

  return {
    getPackageLabel: async ({ params, query, ctx }) =>
      answer(ctx, query, async () => {
        const found = await getPackage(db, ctx.actor, params.loggi_key);
        if (!found) throw notFound('package');
        return { name: `label-${found.barcode}`, orders: [{ id: found.orderId, packages: [found] }] };
      }),

    getOrderLabels: async ({ params, query, ctx }) =>
      answer(ctx, query, async () => {
        const order = await orderOf(db, ctx.actor, params.id);
        return { name: `labels-${order.id}`, orders: [order] };
      }),

    getLabels: async ({ params, query: { loggi_keys: keys, ...look }, ctx }) =>
      answer(ctx, look, async () => {
        const wanted = keys === undefined ? undefined : new Set(keys.toLowerCase().split(','));
        const orders: Named['orders'][number][] = [];
        let count = 0;
        for (const id of new Set(params.order_ids.toLowerCase().split(','))) {
          const order = await orderOf(db, ctx.actor, id);
          const packages = order.packages.filter(({ loggiKey }) => wanted?.has(loggiKey) ?? true);
          count += packages.length;
          if (count > MAX_LABELS)
            throw invalid([{ field: 'orderIds', code: 'too_many', message: `have more than ${MAX_LABELS} packages` }]);
          orders.push({ id: order.id, packages });
        }
        if (wanted && count < wanted.size) throw notFound('package');
        return { name: 'labels', orders };
      }),
  } satisfies SomeHandlers;
};

function toLabel({ labelled, volume, sender, orderName }: LabelledPackage, trackingUrl: string | undefined): Label {
  const { recipient, address, place } = labelled;
  return {
    sender: { name: sender.name, address: sender.address, complement: sender.complement ?? '' },
    recipient: { name: recipient.name, address: address.address, complement: address.complement ?? '' },
    instructions: labelled.instructions ?? '',
    city: place.city,
    state: place.state,
    postalCode: place.postalCode,
    volume,
    weight: labelled.dimensions.weight,
    document: readAccessKey(labelled.fiscalDocument?.key ?? ''),
    stop: labelled.waypoint.index,
    promisedDate: labelled.promisedDate,
    deliverFrom: labelled.deliverFrom,
    orderName: orderName ?? undefined,
    trackingCode: labelled.trackingCode,
    barcode: labelled.barcode,
    trackingUrl,
  };
}
