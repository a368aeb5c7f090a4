import type { Actor } from '../base/actor.js';
import { invalid, notFound } from '../base/errors.js';
import { readAccessKey } from '../base/tax.js';
import type { Label, LabelFormat, LabelLayout } from '../labels/label.js';
import { labelFile, labelsGate } from '../labels/print.js';
import { type LabelledPackage, labelledPackages } from '../orders/labelled-packages.js';
import { getOrder } from '../orders/order.js';
import type { Package } from '../packages/package.js';
import { getPackage } from '../packages/queries.js';
import type { RestDeps, SomeHandlers } from './deps.js';

/** Packages of one order, and what the file of their labels is called. */
interface Named {
  name: string;
  orderId: string;
  packages: readonly Package[];
}

export const labelsHandlers = ({ db, trackingLinks }: RestDeps) => {
  /** Nothing is read before it is the account's turn. */
  function answer(
    { actor, signal }: { actor: Actor; signal: AbortSignal },
    { format = 'pdf', layout = '100x150' }: { format?: LabelFormat; layout?: LabelLayout },
    read: () => Promise<Named>,
  ) {
    if (format === 'zpl' && layout === 'a4')
      throw invalid([{ field: 'layout', code: 'contradiction', message: 'a4 is for the format pdf only' }]);
    return labelsGate.pass(actor.accountId, signal, async () => {
      const { name, orderId, packages } = await read();
      const labelled = await labelledPackages(db, orderId, packages);
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
        return { name: `label-${found.barcode}`, orderId: found.orderId, packages: [found] };
      }),

    getOrderLabels: async ({ params, query, ctx }) =>
      answer(ctx, query, async () => {
        const order = await getOrder(db, ctx.actor, params.id);
        if (!order) throw notFound('order');
        return { name: `labels-${order.id}`, orderId: order.id, packages: order.packages };
      }),
  } satisfies SomeHandlers;
};

function toLabel({ labelled, volume, sender }: LabelledPackage, trackingUrl: string | undefined): Label {
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
    trackingCode: labelled.trackingCode,
    barcode: labelled.barcode,
    trackingUrl,
  };
}
