import { DELIVERED, FIRST_STATUS } from '../../packages/movement.js';
import { handOn, LabelsSection, packagePath } from '../console/packages/files.js';
import {
  Choice,
  type Column,
  Copy,
  Facts,
  Field,
  Listing,
  Period,
  pageQuery,
  periodOf,
  Section,
  stageOf,
  Table,
  Timeline,
  useVisit,
} from '../design/index.js';
import { dataIfAny, dataOf } from '../session/operations.js';
import type { Visit } from '../session/visit.js';
import { statusTitles, shipperTexts as texts } from '../texts.js';
import { DateText, Money, Time } from '../times.js';
import { AnswerForm } from './changes.js';
import { show } from './frame.js';
import { addressText, PackageLink, Placed, type RestSchemas, StatusChip, statusTitle } from './words.js';

type PackageDetail = RestSchemas['PackageDetail'];

export async function showPackages(visit: Visit): Promise<void> {
  const { rest, url, say } = visit;
  const asked = (name: string) => url.searchParams.get(name)?.trim().slice(0, 255) || undefined;
  const [code, reference] = [asked('status_code'), asked('external_id')];
  const query = {
    ...(code !== undefined && /^\d{1,4}$/.test(code) && { status_code: Number(code) }),
    ...(reference !== undefined && { external_id: reference }),
    ...periodOf(visit),
    ...pageQuery(visit),
  };
  const list = await dataOf(rest.GET('/api/v1/packages', { params: { query } }));
  const names = Object.entries(statusTitles).map(([each, title]) => [each, say(title)] as const);
  const filters = (
    <>
      <Field name="external_id" label={texts.reference} value={reference} maxLength={255} />
      <Choice name="status_code" label={texts.status} value={code ?? ''} options={[['', texts.every], ...names]} />
      <Period />
    </>
  );
  show(
    visit,
    texts.packages,
    <Listing caption={texts.packages} {...{ columns, list, filters }} empty={texts.noPackages} />,
  );
}

const columns: readonly Column<RestSchemas['PackageRecord']>[] = [
  [texts.package, (carried) => <PackageLink carried={carried} />],
  [texts.recipient, ({ recipient }) => recipient.name],
  [texts.status, ({ status }) => <StatusChip status={status} />],
  [texts.since, ({ status }) => <Time at={status.updated_at} />],
  [texts.promised, ({ promised_date: date }) => <DateText at={date} />],
];

export async function showPackage(visit: Visit): Promise<void> {
  const { rest, say } = visit;
  const params = packagePath(visit);
  const carried = await dataOf(rest.GET('/api/v1/packages/{loggi_key}', { params }));
  const [proof, answers] = await Promise.all([
    carried.status.code === DELIVERED
      ? dataIfAny(rest.GET('/api/v1/packages/{loggi_key}/proof', { params }))
      : undefined,
    dataOf(rest.GET('/api/v1/packages/{loggi_key}/answers', { params })),
  ]);
  const path = `/envios/packages/${carried.loggi_key}`;
  show(
    visit,
    `${say(texts.package)} ${carried.tracking_code}`,
    <>
      {carried.status.action_required && <AnswerForm carried={carried} answers={answers.data} />}
      <PackageFacts carried={carried} />
      <PackageActions carried={carried} path={path} />
      {proof && <ProofSection proof={proof} path={path} />}
      <History carried={carried} />
      {answers.data.length > 0 && (
        <Section title={texts.answers}>
          <Table caption={texts.answers} columns={answerColumns} rows={answers.data} />
        </Section>
      )}
      {carried.status.stage !== 'cancelled' && <LabelsSection path={`${path}/label`} />}
    </>,
  );
}

function PackageFacts({ carried }: { carried: PackageDetail }) {
  const { say } = useVisit();
  const { status, recipient, delivery_pin: pin, tracking_url: link } = carried;
  return (
    <Facts
      facts={[
        [texts.status, <StatusChip status={status} />],
        [texts.promised, <DateText at={carried.promised_date} />],
        [texts.location, carried.location && `${carried.location.city} – ${carried.location.state}`],
        [texts.recipient, recipient.name],
        [texts.phone, recipient.phone],
        [texts.address, addressText(carried.address)],
        [texts.readAs, <Placed place={carried.resolved_address} />],
        [texts.value, carried.declared_value && <Money amount={carried.declared_value} />],
        [texts.order, <a href={`/envios/orders/${carried.order_id}`}>{say(texts.openOrder)}</a>],
        ...(pin === undefined ? [] : [[texts.pin, <PinText pin={pin} />] as const]),
        ...(link === undefined ? [] : [[texts.link, <LinkText link={link} />] as const]),
      ]}
    />
  );
}

const PinText = ({ pin }: { pin: string }) => (
  <>
    <strong>{pin}</strong> <span class="hint">{useVisit().say(texts.pinHint)}</span>
  </>
);

const LinkText = ({ link }: { link: string }) => (
  <>
    <a href={link}>{useVisit().say(texts.openLink)}</a> <Copy value={link} />
  </>
);

/** Links to the pages of what can be done with the package now. */
function PackageActions({ carried, path }: { carried: PackageDetail; path: string }) {
  const { say } = useVisit();
  const { code } = carried.status;
  if (carried.returned_by !== undefined)
    return (
      <p>
        <a href={`/envios/orders/${carried.returned_by}`}>{say(texts.itsReturn)}</a>
      </p>
    );
  const actions =
    code === FIRST_STATUS
      ? (['address-change', 'cancellation'] as const)
      : code === DELIVERED
        ? (['return'] as const)
        : [];
  if (actions.length === 0) return null;
  return (
    <p class="send">
      {actions.map((action) => (
        <a class="button secondary" href={`${path}/${action}`}>
          {say(texts[action])}
        </a>
      ))}
    </p>
  );
}

function History({ carried }: { carried: PackageDetail }) {
  const visit = useVisit();
  const events = [carried, ...carried.tracking_history];
  return (
    <Section title={texts.history}>
      <Timeline
        entries={events.map(({ status, location }) => ({
          title: statusTitle(visit, status),
          at: status.updated_at,
          stage: stageOf(status),
          children: location && ` · ${location.city} – ${location.state}`,
        }))}
      />
    </Section>
  );
}

type Proof = RestSchemas['DeliveryProof'];

const ProofSection = ({ proof, path }: { proof: Proof; path: string }) => (
  <Section title={texts.proof} id="proof">
    <Facts
      facts={[
        [texts.deliveredAt, <Time at={proof.delivered_at} />],
        [texts.receivedBy, proof.recipient_name],
        [texts.document, proof.recipient_document],
      ]}
    />
    <div class="pictures">
      {(['photo', 'signature'] as const).map(
        (kind) => proof[kind] && <Picture path={`${path}/proof/${kind}`} kind={kind} />,
      )}
    </div>
  </Section>
);

const Picture = ({ path, kind }: { path: string; kind: 'photo' | 'signature' }) => (
  <a href={path}>
    <img src={path} alt={useVisit().say(texts[kind])} loading="lazy" />
  </a>
);

const answerColumns: readonly Column<RestSchemas['PackageAnswer']>[] = [
  [texts.when, ({ created_at: at }) => <Time at={at} />],
  [
    texts.answer,
    ({ phone, address, instructions, note }) =>
      [phone, address && addressText(address), instructions, note].filter(Boolean).join(' · '),
  ],
  [texts.reply, ({ completion_note: reply }) => reply],
];

const bytes = { parseAs: 'arrayBuffer' } as const;

export const sendPhoto = (visit: Visit): Promise<void> =>
  handOn(visit, visit.rest.GET('/api/v1/packages/{loggi_key}/proof/photo', { params: packagePath(visit), ...bytes }));

export const sendSignature = (visit: Visit): Promise<void> =>
  handOn(
    visit,
    visit.rest.GET('/api/v1/packages/{loggi_key}/proof/signature', { params: packagePath(visit), ...bytes }),
  );
