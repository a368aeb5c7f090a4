import { DeliveryBody } from '../console/webhooks/delivery.js';
import { type Column, Facts, Listing, Page, pageQuery, Section, TableSection } from '../design/index.js';
import { Word } from '../page.js';
import type { RestSchemas } from '../session/operations.js';
import type { Visit } from '../session/visit.js';
import { shipperTexts as texts, webhookOutcomes, webhookStates } from '../texts.js';
import { NumberText, Time } from '../times.js';

export async function showEndpoints(visit: Visit) {
  const list = await visit.ask('GET /api/v1/webhook-endpoints', { query: pageQuery(visit) });
  return (
    <Page title={texts.webhooks}>
      <p>{visit.say(texts.webhooksHint)}</p>
      <Listing caption={texts.webhooks} columns={endpointColumns} list={list} />
    </Page>
  );
}

const endpointColumns: readonly Column<RestSchemas['WebhookEndpoint']>[] = [
  [texts.address, ({ id, url }) => <a href={`/envios/webhook-endpoints/${id}`}>{url}</a>],
  [texts.status, ({ state }) => <Word of={webhookStates} value={state} />],
  [texts.waiting, ({ pending_count: count }) => <NumberText of={count} />, 'number'],
  [texts.givenUp, ({ dead_letter_count: count }) => <NumberText of={count} />, 'number'],
];

export async function showEndpoint(visit: Visit) {
  const [endpoint, attempts] = await Promise.all([
    visit.ask('GET /api/v1/webhook-endpoints/{id}'),
    visit.ask('GET /api/v1/webhook-endpoints/{id}/attempts', { query: pageQuery(visit) }),
  ]);
  return (
    <Page title={texts.webhook}>
      <Facts
        facts={[
          [texts.address, endpoint.url],
          [texts.status, <Word of={webhookStates} value={endpoint.state} />],
          [texts.waiting, <NumberText of={endpoint.pending_count} />],
          [texts.givenUp, <NumberText of={endpoint.dead_letter_count} />],
          [texts.failingSince, endpoint.failing_since && <Time at={endpoint.failing_since} />],
        ]}
      />
      <Section title={texts.attempts}>
        <Listing caption={texts.attempts} columns={attemptColumns} list={attempts} />
      </Section>
    </Page>
  );
}

const DeliveryLink = ({ of: { webhook_id: id, attempted_at: at } }: { of: RestSchemas['WebhookAttempt'] }) => (
  <a href={`/envios/deliveries/${id}`}>
    <Time at={at} />
  </a>
);

const attemptColumns: readonly Column<RestSchemas['WebhookAttempt']>[] = [
  [texts.when, (attempt) => <DeliveryLink of={attempt} />],
  [texts.outcome, ({ outcome }) => <Word of={webhookOutcomes} value={outcome} />],
  [texts.httpStatus, ({ status_code: code }) => code],
];

export async function showDelivery({ ask }: Visit) {
  const { created_at: at, next_attempt_at: next, ...delivery } = await ask('GET /api/v1/deliveries/{webhook_id}');
  return (
    <Page title={texts.delivery}>
      <Facts
        facts={[
          [texts.created, <Time at={at} />],
          [texts.packages, <NumberText of={delivery.package_count} />],
          [texts.attempts, <NumberText of={delivery.attempt_count} />],
          [texts.nextAttempt, next && <Time at={next} />],
        ]}
      />
      <TableSection caption={texts.attempts} columns={attemptColumns} rows={delivery.attempts} />
      {delivery.body !== undefined && <DeliveryBody body={delivery.body} />}
    </Page>
  );
}
