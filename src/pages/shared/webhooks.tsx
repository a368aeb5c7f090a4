import type { VNode } from 'preact';
import { parseJson } from '../../base/values.js';
import { Page } from '../design/frame.js';
import { Chip, Copy, factList, TimeLink } from '../design/pieces.js';
import { type Column, TableSection } from '../design/tables.js';
import type { Handler } from '../session/place.js';
import { webhookTexts as texts, valueWords } from '../texts.js';
import { type RestSchemas, useVisit } from '../visit.js';
import { NumberText, Time, Verbatim, Word } from '../written.js';

// Shows webhooks to operators and shippers. Addresses are relative to the root of their pages.

export type Endpoint = RestSchemas['WebhookEndpoint'];

/** Says why the movements of packages do not reach the endpoint. */
export function EndpointState({ state, disabled_reason: reason, failing_since: failingSince }: Endpoint) {
  const { say } = useVisit();
  const shown = state === 'active' && failingSince ? 'failing' : state;
  const stage = shown === 'active' ? 'completed' : 'problem';
  const why = reason && valueWords.disabledReasons[reason];
  return [
    <Chip stage={stage} text={say(valueWords.webhookStates[shown] ?? texts.state)} />,
    reason && [' ', <span class="hint">{why ? say(why) : reason}</span>],
  ];
}

export const endpointColumns: readonly Column<Endpoint>[] = [
  [texts.address, ({ id, url }) => <a href={`${useVisit().place.home}/webhook-endpoints/${id}`}>{url}</a>],
  [texts.state, (endpoint) => <EndpointState {...endpoint} />],
  [texts.failingSince, ({ failing_since: at }) => at && <Time at={at} />],
  [
    texts.lastFailure,
    ({ last_failure: last }) => last && <Verbatim>{last.error ?? `HTTP ${last.status_code ?? ''}`}</Verbatim>,
  ],
  [texts.waiting, ({ pending_count: count }) => <NumberText of={count} />, 'number'],
  [texts.deadLetters, ({ dead_letter_count: count }) => <NumberText of={count} />, 'number'],
];

/** The choices what to do with movements of the time while an endpoint was disabled. */
export const movedChoices = [
  ['', texts.movedTell],
  ['leave', texts.movedLeave],
] as const;

export const DeliveryLink = ({ id, at }: { id: string; at: string }) => (
  <TimeLink href={`${useVisit().place.home}/deliveries/${id}`} at={at} />
);

export const attemptColumns: readonly Column<RestSchemas['WebhookAttempt']>[] = [
  [texts.when, ({ webhook_id: id, attempted_at: at }) => <DeliveryLink {...{ id, at }} />],
  [texts.number, ({ number }) => number, 'number'],
  [texts.outcome, ({ outcome }) => <Word of={valueWords.webhookOutcomes} value={outcome} />],
  [
    texts.answer,
    ({ status_code: code, error, response_body: body }) => (
      <Verbatim>{[code, error ?? body?.slice(0, 200)].filter(Boolean).join(' ')}</Verbatim>
    ),
  ],
  [texts.duration, ({ duration_ms: ms }) => `${ms} ms`, 'number'],
];

/** Shows a delivery with its attempts and its body. */
export const deliveryPage = (
  operation: `GET ${'/operator' | '/api'}/v1/deliveries/{webhook_id}`,
  actions?: (path: string) => VNode,
): { page: Handler } => ({
  page: async ({ ask, say, place, url }) => {
    const delivery = await ask(operation);
    const { endpoint_id: endpoint, next_attempt_at: next, ended_at: ended, body } = delivery;
    return (
      <Page title={texts.delivery}>
        {factList([
          [texts.endpoints, <a href={`${place.home}/webhook-endpoints/${endpoint}`}>{say(texts.seeEndpoint)}</a>],
          [texts.kind, <Word of={valueWords.deliveryKinds} value={delivery.kind} />],
          [texts.state, <Word of={valueWords.deliveryStates} value={delivery.state} />],
          [texts.packages, <NumberText of={delivery.package_count} />],
          [texts.created, <Time at={delivery.created_at} />],
          [texts.ended, ended && <Time at={ended} />],
          [texts.nextAttempt, next && <Time at={next} />],
          [texts.deliveryId, <Copy value={delivery.webhook_id} />],
        ])}
        {actions?.(url.pathname)}
        <TableSection caption={texts.attempts} columns={attemptColumns} rows={delivery.attempts} />
        {body !== undefined && <DeliveryBody body={body} />}
      </Page>
    );
  },
});

/** Shows JSON with line breaks, and any other text unchanged. */
function DeliveryBody({ body }: { body: string }) {
  const value = parseJson(body);
  return (
    <details>
      <summary>{useVisit().say(texts.body)}</summary>
      <pre>
        <Verbatim>{value === undefined ? body : JSON.stringify(value, null, 2)}</Verbatim>
      </pre>
    </details>
  );
}
