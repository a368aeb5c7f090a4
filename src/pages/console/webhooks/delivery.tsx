import { parseJson } from '../../../base/values.js';
import { type Column, Copy, Facts, Page, PostForm, TableSection, TextLink } from '../../design/index.js';
import { Say, Verbatim, Word } from '../../page.js';
import type { Schemas } from '../../session/operations.js';
import { calling, type Visit } from '../../session/visit.js';
import { deliveryKinds, deliveryStates, webhookTexts as texts, webhookOutcomes } from '../../texts.js';
import { NumberText, Time } from '../../times.js';

export const Delivery = ({ id }: { id: string }) => (
  <TextLink href={`/console/deliveries/${id}`} text={texts.seeDelivery} />
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

const REPLAY = 'POST /operator/v1/deliveries/{webhook_id}/replay';

export async function showDelivery({ ask, say, url }: Visit) {
  const delivery = await ask('GET /operator/v1/deliveries/{webhook_id}');
  const { endpoint_id: endpoint, next_attempt_at: next, ended_at: ended, body } = delivery;
  return (
    <Page title={texts.delivery}>
      <Facts
        facts={[
          [texts.deliveryId, <Copy value={delivery.webhook_id} />],
          [texts.endpoints, <a href={`/console/webhook-endpoints/${endpoint}`}>{say(texts.seeEndpoint)}</a>],
          [texts.kind, <Word of={deliveryKinds} value={delivery.kind} />],
          [texts.state, <Word of={deliveryStates} value={delivery.state} />],
          [texts.packages, <NumberText of={delivery.package_count} />],
          [texts.created, <Time at={delivery.created_at} />],
          [texts.ended, ended && <Time at={ended} />],
          [texts.nextAttempt, next && <Time at={next} />],
        ]}
      />
      <PostForm action={`${url.pathname}/replay`} operation={REPLAY} submit={texts.replayOne} />
      <TableSection caption={texts.attempts} columns={attemptColumns} rows={delivery.attempts} />
      {body !== undefined && <DeliveryBody body={body} />}
    </Page>
  );
}

/** JSON with line breaks, and any other text as it is. */
export function DeliveryBody({ body }: { body: string }) {
  const value = parseJson(body);
  return (
    <details>
      <summary>
        <Say text={texts.body} />
      </summary>
      <pre>
        <Verbatim>{value === undefined ? body : JSON.stringify(value, null, 2)}</Verbatim>
      </pre>
    </details>
  );
}

export const replayDelivery = calling(REPLAY, '/console/deliveries/{webhook_id}', 'sent');
