import { invalid, notFound } from '../base/errors.js';
import type { Label, LabelFormat, LabelLayout } from '../labels/label.js';
import { labelFile } from '../labels/print.js';
import { type LabelledPackage, labelledPackages } from '../orders/labelled-packages.js';
import { getOrder } from '../orders/order.js';
import type { Package } from '../packages/package.js';
import { getPackage } from '../packages/queries.js';
import type { RestDeps, RestHandlers } from './deps.js';

type LabelOperation = 'getPackageLabel' | 'getOrderLabels';

interface Wanted {
  format?: LabelFormat;
  layout?: LabelLayout;
}

export const labelsHandlers = ({ db, trackingLinks }: RestDeps): RestHandlers<LabelOperation> => {
  async function answer(
    name: string,
    orderId: string,
    packages: readonly Package[],
    { format = 'pdf', layout = '100x150' }: Wanted,
  ) {
    if (format === 'zpl' && layout === 'a4')
      throw invalid([{ field: 'layout', message: 'a4 is for the format pdf only' }]);
    const labelled = await labelledPackages(db, orderId, packages);
    const labels = labelled.map((each) => toLabel(each, trackingLinks.urlOf(each.labelled)));
    const headers = { 'Content-Disposition': `inline; filename="${name}.${format}"` };
    return { status: 200 as const, headers, ...labelFile(name, labels, format, layout) };
  }

  return {
    getPackageLabel: async ({ params, query, ctx }) => {
      const found = await getPackage(db, ctx.actor, params.loggi_key);
      if (!found) throw notFound('package');
      return answer(`label-${found.barcode}`, found.orderId, [found], query);
    },

    getOrderLabels: async ({ params, query, ctx }) => {
      const order = await getOrder(db, ctx.actor, params.id);
      if (!order) throw notFound('order');
      return answer(`labels-${order.id}`, order.id, order.packages, query);
    },
  };
};

function toLabel({ labelled, sender }: LabelledPackage, trackingUrl: string | undefined): Label {
  const { recipient, address, place } = labelled;
  return {
    sender: { name: sender.name, address: sender.address, complement: sender.complement ?? '' },
    recipient: { name: recipient.name, address: address.address, complement: address.complement ?? '' },
    instructions: labelled.instructions ?? '',
    city: place.city,
    state: place.state,
    postalCode: place.postalCode,
    stop: labelled.waypoint.index,
    promisedDate: labelled.promisedDate,
    trackingCode: labelled.trackingCode,
    barcode: labelled.barcode,
    trackingUrl,
  };
}
