import { parseJson } from '../../../base/values.js';
import { Facts, OperationForm, Time } from '../components.js';
import type { Form } from '../forms.js';
import { show } from '../frame.js';
import { Table } from '../lists.js';
import { dataOf, type RefusalError } from '../operations.js';
import { redirect, type Visit } from '../visit.js';
import { attemptColumns } from './endpoint.js';
import { texts } from './texts.js';

const pathOf = ({ req }: Visit) => ({ path: { webhook_id: String(req.params['webhook_id']) } });

/** JSON with line breaks, and what is no JSON as it is. */
function readable(body: string): string {
  const value = parseJson(body);
  return value === undefined ? body : JSON.stringify(value, null, 2);
}

/** `GET /console/deliveries/{webhook_id}` */
export async function showDelivery(visit: Visit, refusal?: RefusalError): Promise<void> {
  const { operator, say } = visit;
  const delivery = await dataOf(operator.GET('/operator/v1/deliveries/{webhook_id}', { params: pathOf(visit) }));
  const { webhook_id: id, next_attempt_at: next, ended_at: ended } = delivery;
  show(
    visit,
    say(texts.delivery),
    <>
      <Facts
        visit={visit}
        facts={[
          [texts.delivery, <code>{id}</code>],
          [texts.endpoints, <a href={`/console/webhook-endpoints/${delivery.endpoint_id}`}>{delivery.endpoint_id}</a>],
          [texts.state, `${delivery.kind}, ${delivery.state}`],
          [texts.packages, delivery.package_count],
          [texts.created, <Time visit={visit} at={delivery.created_at} />],
          [texts.ended, ended ? <Time visit={visit} at={ended} /> : '–'],
          [texts.nextAttempt, next ? <Time visit={visit} at={next} /> : '–'],
        ]}
      />
      <OperationForm
        visit={visit}
        action={`/console/deliveries/${id}/replay`}
        operation="POST /operator/v1/deliveries/{webhook_id}/replay"
        submit={texts.replayOne}
      />
      <section>
        <h2>{say(texts.attempts)}</h2>
        <Table visit={visit} caption={texts.attempts} columns={attemptColumns(visit)} rows={delivery.attempts} />
      </section>
      {delivery.body !== undefined && (
        <details>
          <summary>{say(texts.body)}</summary>
          <pre>{readable(delivery.body)}</pre>
        </details>
      )}
    </>,
    { refusal },
  );
}

/** `POST /console/deliveries/{webhook_id}/replay` */
export async function replayDelivery(visit: Visit, form: Form): Promise<void> {
  const params = { ...pathOf(visit), header: { 'Idempotency-Key': form.text('key') } };
  await dataOf(visit.operator.POST('/operator/v1/deliveries/{webhook_id}/replay', { params }));
  redirect(visit, `/console/deliveries/${params.path.webhook_id}?done=sent`);
}
