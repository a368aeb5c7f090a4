import { parseJson } from '../../../base/values.js';
import { Time } from '../../times.js';
import { Facts, PostForm } from '../components.js';
import { show } from '../frame.js';
import { TableSection } from '../lists.js';
import { dataOf } from '../operations.js';
import { calling, param, type Visit } from '../visit.js';
import { attemptColumns } from './endpoint.js';
import { texts } from './texts.js';

/** JSON with line breaks, and any other text as it is. */
function readable(body: string): string {
  const value = parseJson(body);
  return value === undefined ? body : JSON.stringify(value, null, 2);
}

export async function showDelivery(visit: Visit): Promise<void> {
  const { operator, say } = visit;
  const params = { path: { webhook_id: param(visit, 'webhook_id') } };
  const delivery = await dataOf(operator.GET('/operator/v1/deliveries/{webhook_id}', { params }));
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
      <PostForm action={`/console/deliveries/${id}/replay`} operation={REPLAY} submit={texts.replayOne} />
      <TableSection caption={texts.attempts} columns={attemptColumns} rows={delivery.attempts} />
      {body !== undefined && (
        <details>
          <summary>{say(texts.body)}</summary>
          <pre>{readable(body)}</pre>
        </details>
      )}
    </>,
  );
}

const REPLAY = 'POST /operator/v1/deliveries/{webhook_id}/replay';
export const replayDelivery = calling(REPLAY, '/console/deliveries/{webhook_id}', 'sent');
