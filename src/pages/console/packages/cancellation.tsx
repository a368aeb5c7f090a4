import { packageTexts as texts } from '../../texts.js';
import { Facts, PostForm } from '../components.js';
import { show } from '../frame.js';
import { dataOf, type OperationName } from '../operations.js';
import { keyed, redirect, type Visit } from '../visit.js';
import { packagePath } from './files.js';

const PATH = '/operator/v1/packages/{loggi_key}/cancellation';
const operation = `POST ${PATH}` satisfies OperationName;

export async function cancelPackage(visit: Visit): Promise<void> {
  const params = { ...packagePath(visit), ...keyed(visit) };
  await dataOf(visit.operator.POST(PATH, { params, body: {} }));
  redirect(visit, `/console/packages/${params.path.loggi_key}?done=saved`);
}

/** Shows what ends with a package and what its order costs then, before the button that does it. */
export async function showCancellation(visit: Visit): Promise<void> {
  const { operator, rest, say } = visit;
  const body = { preview: true };
  const preview = await dataOf(operator.POST(PATH, { params: packagePath(visit), body }));
  const { loggi_key: key, order_id: id, tracking_code: code, recipient } = preview.package;
  const order = await dataOf(rest.GET('/api/v1/orders/{id}', { params: { path: { id } } }));
  const isLast = order.packages.every((each) => each.status.stage === 'cancelled' || each.loggi_key === key);
  show(
    visit,
    `${say(texts.cancel)} ${code}`,
    <>
      <p>{say(texts.cancelHint)}</p>
      <p>{say(isLast ? texts.cancelLast : texts.cancelOthers)}</p>
      <Facts
        facts={[
          [texts.package, <a href={`/console/packages/${key}`}>{code}</a>],
          [texts.recipient, recipient.name],
          [texts.order, <a href={`/console/orders/${id}`}>{order.external_id ?? id}</a>],
          [texts.priceBefore, `R$ ${preview.previous_total}`],
          [texts.priceAfter, `R$ ${preview.total}`],
        ]}
      />
      <PostForm
        action={`/console/packages/${key}/cancellation`}
        operation={operation}
        submit={texts.cancel}
        isDangerous
      />
    </>,
  );
}
