import { packageTexts as texts } from '../../texts.js';
import { Facts, PostForm, Section, useVisit } from '../components.js';
import { show } from '../frame.js';
import { dataOf, type OperationName } from '../operations.js';
import { calling, type Visit } from '../visit.js';
import { packagePath } from './files.js';
import type { TrackedPackage } from './list.js';

const operation = 'POST /operator/v1/packages/{loggi_key}/cancellation' satisfies OperationName;

export const cancelPackage = calling(operation, '/console/packages/{loggi_key}');

const pathOf = ({ loggi_key: key }: TrackedPackage): string => `/console/packages/${key}/cancellation`;

export function CancellationLink({ tracked }: { tracked: TrackedPackage }) {
  return (
    <Section title={texts.cancel}>
      <p>
        <a href={pathOf(tracked)}>{useVisit().say(texts.cancelLink)}</a>
      </p>
    </Section>
  );
}

/** Shows what ends with a package and what its order costs then, before the button that does it. */
export async function showCancellation(visit: Visit): Promise<void> {
  const { operator, rest, say } = visit;
  const params = packagePath(visit);
  const tracked = await dataOf(operator.GET('/operator/v1/packages/{loggi_key}', { params }));
  const body = { preview: true };
  const preview = await dataOf(rest.POST('/api/v1/packages/{loggi_key}/cancellation', { params, body }));
  const { previous_pricing: before, order } = preview;
  const left = order.packages.filter(({ loggi_key: key, status }) => {
    return status.stage !== 'cancelled' && key !== tracked.loggi_key;
  });
  show(
    visit,
    `${say(texts.cancel)} ${tracked.tracking_code}`,
    <>
      <p>{say(texts.cancelHint)}</p>
      <p>{say(left.length > 0 ? texts.cancelOthers : texts.cancelLast)}</p>
      <Facts
        facts={[
          [texts.package, <a href={`/console/packages/${tracked.loggi_key}`}>{tracked.tracking_code}</a>],
          [texts.recipient, tracked.recipient.name],
          [texts.order, <a href={`/console/orders/${order.id}`}>{order.external_id ?? order.id}</a>],
          [texts.priceBefore, `R$ ${before.total}`],
          [texts.priceAfter, `R$ ${order.pricing.total}`],
        ]}
      />
      <PostForm action={pathOf(tracked)} operation={operation} submit={texts.cancel} isDangerous />
    </>,
  );
}
