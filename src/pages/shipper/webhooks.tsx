import { Facts, Listing, Page, pageQuery, Section } from '../design/index.js';
import { attemptColumns, EndpointState, endpointColumns } from '../parcel/webhooks.js';
import type { Visit } from '../session/visit.js';
import { shipperTexts as texts } from '../texts.js';
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

export async function showEndpoint(visit: Visit) {
  const [endpoint, attempts] = await Promise.all([
    visit.ask('GET /api/v1/webhook-endpoints/{id}'),
    visit.ask('GET /api/v1/webhook-endpoints/{id}/attempts', { query: pageQuery(visit) }),
  ]);
  return (
    <Page title={endpoint.url}>
      <Facts
        facts={[
          [texts.status, <EndpointState {...endpoint} />],
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
