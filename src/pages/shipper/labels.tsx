import { Section } from '../design/pieces.js';
import { handOn, labelQuery } from '../parcel/files.js';
import { useVisit, type Visit } from '../session/visit.js';
import { shipperTexts as texts } from '../texts.js';

/** Orders of a file of labels, as the operation takes them. */
const MOST_ORDERS = 50;

/** Checkboxes of orders on a page belong to the form that prints them. */
const FORM = 'labels';

export const PrintBox = ({ id, name }: { id: string; name: string }) => (
  <input type="checkbox" name="order" value={id} form={FORM} aria-label={`${useVisit().say(texts.labels)} ${name}`} />
);

export const PrintForm = () => {
  const { say } = useVisit();
  return (
    <form id={FORM} action="/envios/labels" class="send">
      <select name="layout" aria-label={say(texts.labels)}>
        <option value="100x150">{say(texts.labelPdf)}</option>
        <option value="a4">{say(texts.labelSheet)}</option>
      </select>
      <button type="submit" class="secondary">
        {say(texts.printChosen)}
      </button>
    </form>
  );
};

/** Links to the labels of these orders, in files of as many as one may have. */
export function LabelFiles({ orders }: { orders: readonly string[] }) {
  const { say } = useVisit();
  const files = Array.from({ length: Math.ceil(orders.length / MOST_ORDERS) }, (_, at) => at * MOST_ORDERS);
  return (
    <Section title={texts.labels}>
      {files.map((from) => {
        const ids = orders.slice(from, from + MOST_ORDERS);
        return (
          <p>
            <a class="button" href={`/envios/labels?order=${ids.join(',')}`}>
              {say(texts.printLabels)} {from + 1}–{from + ids.length}
            </a>
          </p>
        );
      })}
    </Section>
  );
}

/** The labels of the orders that are marked; back to the list where none is. */
export async function sendManyLabels(visit: Visit) {
  const order_ids = visit.url.searchParams.getAll('order').join(',');
  if (order_ids === '') return '/envios/orders';
  return handOn(visit, 'GET /api/v1/labels/{order_ids}', { path: { order_ids }, query: labelQuery(visit) });
}
