import { Page } from '../design/frame.js';
import { Counts, LinkLine, Section, TextLink } from '../design/pieces.js';
import { type Column, Table, TableSection } from '../design/tables.js';
import { ASKS_SENDER } from '../facts.js';
import { orderStages } from '../shared/words.js';
import { shipperTexts as texts, valueWords } from '../texts.js';
import type { RestSchemas, Visit } from '../visit.js';
import { Say, Time } from '../written.js';
import { orderColumns, PackageLink } from './lists.js';

const MAX_ASKING = 20;

type Asking = RestSchemas['PackageRecord'] & { answered: boolean };

/** Packages that wait for the shipper's answer. Answered ones, which wait for the carrier, come last. */
async function askingPackages({ ask }: Visit): Promise<Asking[]> {
  const { data } = await ask('GET /api/v1/packages', { query: { status_code: ASKS_SENDER, page_size: MAX_ASKING } });
  const asking = await Promise.all(
    data.map(async ({ loggi_key, ...each }) => {
      const asked = { path: { loggi_key }, query: { page_size: 1 } };
      const [answer] = (await ask('GET /api/v1/packages/{loggi_key}/answers', asked)).data;
      return { loggi_key, ...each, answered: answer !== undefined && answer.created_at >= each.status.updated_at };
    }),
  );
  return asking.sort((one, other) => Number(one.answered) - Number(other.answered));
}

export async function showStart(visit: Visit) {
  const { ask } = visit;
  const [asking, latest, ...counts] = await Promise.all([
    askingPackages(visit),
    ask('GET /api/v1/orders', { query: { page_size: 5 } }),
    ...orderStages.map((status) => ask('GET /api/v1/orders', { query: { status, page_size: 1 } })),
  ]);
  const stageCounts = orderStages.map((status, at) => ({
    text: valueWords.stages[status] ?? texts.start,
    count: counts[at]?.pagination.total_items ?? 0,
    href: `/envios/orders?status=${status}`,
  }));
  return (
    <Page title={texts.start}>
      <p class="send">
        <TextLink href="/envios/new-order" text={texts.newOrder} kind="button" />
        <TextLink href="/envios/import" text={texts.fromFile} kind="button secondary" />
      </p>
      <TableSection caption={texts.asking} columns={askingColumns} rows={asking} empty={texts.nobodyAsks} />
      <Section title={texts.counts}>
        <Counts of={stageCounts} />
      </Section>
      <Section title={texts.latest}>
        <Table caption={texts.latest} columns={orderColumns} rows={latest.data} empty={texts.noOrders} />
        <LinkLine href="/envios/orders" text={texts.allOrders} />
      </Section>
    </Page>
  );
}

const askingColumns: readonly Column<Asking>[] = [
  [texts.package, (each) => <PackageLink carried={each} />],
  [texts.recipient, ({ recipient }) => recipient.name],
  [texts.problem, ({ status }) => status.action_required?.reason_label],
  [texts.since, ({ status }) => <Time at={status.updated_at} />],
  [
    texts.answer,
    ({ loggi_key: key, answered }) =>
      answered ? (
        <Say text={texts.answered} />
      ) : (
        <TextLink href={`/envios/packages/${key}#answer`} text={texts.toAnswer} />
      ),
  ],
];
