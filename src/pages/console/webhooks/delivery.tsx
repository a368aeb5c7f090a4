import { parseJson } from '../../../base/values.js';
import { Facts, PostForm, Section, Time } from '../components.js';
import { show } from '../frame.js';
import { Table } from '../lists.js';
import { dataOf } from '../operations.js';
import { keyed, param, redirect, type Visit } from '../visit.js';
import { attemptColumns } from './endpoint.js';
import { texts } from './texts.js';

const pathOf = (visit: Visit) => ({ path: { webhook_id: param(visit, 'webhook_id') } });

/** JSON with line breaks, and any other text as it is. */
function readable(body: string): string {
  const value = parseJson(body);
  return value === undefined ? body : JSON.stringify(value, null, 2);
}

export async function showDelivery(visit: Visit): Promise<void> {
  const { operator, say } = visit;
  const delivery = await dataOf(operator.GET('/operator/v1/deliveries/{webhook_id}', { params: pathOf(visit) }));
  const { webhook_id: id, endpoint_id: endpoint, next_attempt_at: next, ended_at: ended, body } = delivery;
  show(
    visit,
    texts.delivery,
    <>
      <Facts
        facts={[
          [texts.delivery, <code>{id}</code>],
          [texts.endpoints, <a href={`/console/webhook-endpoints/${endpoint}`}>{endpoint}</a>],
          [texts.state, `${delivery.kind}, ${delivery.state}`],
          [texts.packages, delivery.package_count],
          [texts.created, <Time at={delivery.created_at} />],
          [texts.ended, ended && <Time at={ended} />],
          [texts.nextAttempt, next && <Time at={next} />],
        ]}
      />
      <PostForm
        action={`/console/deliveries/${id}/replay`}
        operation="POST /operator/v1/deliveries/{webhook_id}/replay"
        submit={texts.replayOne}
      />
      <Section title={texts.attempts}>
        <Table caption={texts.attempts} columns={attemptColumns} rows={delivery.attempts} />
      </Section>
      {body !== undefined && (
        <details>
          <summary>{say(texts.body)}</summary>
          <pre>{readable(body)}</pre>
        </details>
      )}
    </>,
  );
}

export async function replayDelivery(visit: Visit): Promise<void> {
  const params = { ...pathOf(visit), ...keyed(visit) };
  await dataOf(visit.operator.POST('/operator/v1/deliveries/{webhook_id}/replay', { params }));
  redirect(visit, `/console/deliveries/${params.path.webhook_id}?done=sent`);
}
