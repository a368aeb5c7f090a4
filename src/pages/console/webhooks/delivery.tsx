import { parseJson } from '../../../base/values.js';
import { type Column, Copy, Facts, PostForm, TableSection } from '../../design/index.js';
import { Say, Verbatim, Word } from '../../page.js';
import { dataOf, type Schemas } from '../../session/operations.js';
import { calling, param, type Visit } from '../../session/visit.js';
import { deliveryKinds, deliveryStates, webhookTexts as texts, webhookOutcomes } from '../../texts.js';
import { Time } from '../../times.js';
import { show } from '../frame.js';

export const Delivery = ({ id }: { id: string }) => (
  <a href={`/console/deliveries/${id}`}>
    <Say text={texts.seeDelivery} />
  </a>
);

export const attemptColumns: readonly Column<Schemas['WebhookAttempt']>[] = [
  [texts.when, ({ attempted_at: at }) => <Time at={at} />],
  [texts.delivery, ({ webhook_id: id }) => <Delivery id={id} />],
  [texts.number, ({ number }) => number, 'number'],
  [
    texts.outcome,
    ({ outcome, status_code: status }) => (
      <>
        <Word of={webhookOutcomes} value={outcome} /> {status}
      </>
    ),
  ],
  [texts.answer, ({ error, response_body: body }) => <Verbatim>{error ?? body?.slice(0, 200)}</Verbatim>],
  [texts.duration, ({ duration_ms: ms }) => `${ms} ms`, 'number'],
];

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
          [texts.deliveryId, <Copy value={id} />],
          [texts.endpoints, <a href={`/console/webhook-endpoints/${endpoint}`}>{say(texts.seeEndpoint)}</a>],
          [texts.kind, <Word of={deliveryKinds} value={delivery.kind} />],
          [texts.state, <Word of={deliveryStates} value={delivery.state} />],
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
          <pre>
            <Verbatim>{readable(body)}</Verbatim>
          </pre>
        </details>
      )}
    </>,
  );
}

const REPLAY = 'POST /operator/v1/deliveries/{webhook_id}/replay';
export const replayDelivery = calling(REPLAY, '/console/deliveries/{webhook_id}', 'sent');
