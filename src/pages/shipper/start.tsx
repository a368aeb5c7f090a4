import { Card, type Column, LinkLine, Table } from '../design/index.js';
import { Say } from '../page.js';
import { dataOf } from '../session/operations.js';
import type { Visit } from '../session/visit.js';
import { orderStatuses, shipperTexts as texts } from '../texts.js';
import { Time } from '../times.js';
import { show } from './frame.js';
import { orderColumns, statuses } from './lists.js';
import { PackageLink, type RestSchemas, TextLink } from './words.js';

/** A package in this status waits for its shipper. */
const ASKS = 6;
const MOST_ASKING = 20;

type Asking = RestSchemas['PackageRecord'] & { answered: boolean };

/** Packages that wait for an answer of the shipper; those that have one wait for the carrier. */
async function askingPackages({ rest }: Visit): Promise<Asking[]> {
  const query = { status_code: ASKS, page_size: MOST_ASKING };
  const { data } = await dataOf(rest.GET('/api/v1/packages', { params: { query } }));
  return Promise.all(
    data.map(async (each) => {
      const params = { path: { loggi_key: each.loggi_key }, query: { page_size: 1 } };
      const [answer] = (await dataOf(rest.GET('/api/v1/packages/{loggi_key}/answers', { params }))).data;
      return { ...each, answered: answer !== undefined && answer.created_at >= each.status.updated_at };
    }),
  );
}

export async function showStart(visit: Visit): Promise<void> {
  const { rest, say } = visit;
  const orders = (query: { status?: (typeof statuses)[number]; page_size: number }) =>
    dataOf(rest.GET('/api/v1/orders', { params: { query } }));
  const [asking, latest, ...counts] = await Promise.all([
    askingPackages(visit),
    orders({ page_size: 5 }),
    ...statuses.map((status) => orders({ status, page_size: 1 })),
  ]);
  show(
    visit,
    texts.start,
    <>
      <p class="send">
        <a class="button" href="/envios/new-order">
          {say(texts.newOrder)}
        </a>
        <a class="button secondary" href="/envios/import">
          {say(texts.fromFile)}
        </a>
      </p>
      <Card title={texts.asking}>
        <Table caption={texts.asking} columns={askingColumns} rows={asking} empty={texts.nobodyAsks} />
      </Card>
      <Card title={texts.counts}>
        <dl class="facts">
          {statuses.map((status, at) => (
            <div>
              <dt>{say(orderStatuses[status] ?? texts.start)}</dt>
              <dd>
                <a href={`/envios/orders?status=${status}`}>{counts[at]?.pagination.total_items}</a>
              </dd>
            </div>
          ))}
        </dl>
      </Card>
      <Card title={texts.latest}>
        <Table caption={texts.latest} columns={orderColumns} rows={latest.data} empty={texts.noOrders} />
        <LinkLine href="/envios/orders" text={texts.allOrders} />
      </Card>
    </>,
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
