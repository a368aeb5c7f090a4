import { DELIVERED, FIRST_STATUS } from '../../packages/movement.js';
import { handOn, LabelsSection, packagePath } from '../console/packages/files.js';
import {
  type Column,
  Copy,
  Facts,
  LinkLine,
  Section,
  stageOf,
  TableSection,
  Timeline,
  useVisit,
} from '../design/index.js';
import { dataIfAny, dataOf } from '../session/operations.js';
import type { Visit } from '../session/visit.js';
import { shipperTexts as texts } from '../texts.js';
import { DateText, Money, Time } from '../times.js';
import { AnswerForm } from './changes.js';
import { show } from './frame.js';
import { addressText, Placed, type RestSchemas, StatusChip, statusTitle, TextLink } from './words.js';

type Carried = RestSchemas['PackageDetail'];

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
      {answers.data.length > 0 && <TableSection caption={texts.answers} columns={answerColumns} rows={answers.data} />}
      {carried.status.stage !== 'cancelled' && <LabelsSection path={`${path}/label`} />}
    </>,
  );
}

function PackageFacts({ carried }: { carried: Carried }) {
  const { say } = useVisit();
  const { status, recipient, location, delivery_pin: pin, tracking_url: link } = carried;
  const secret = (
    <>
      <strong>{pin}</strong> <span class="hint">{say(texts.pinHint)}</span>
    </>
  );
  const page = link && (
    <>
      <TextLink href={link} text={texts.openLink} /> <Copy value={link} />
    </>
  );
  return (
    <Facts
      facts={[
        [texts.status, <StatusChip status={status} />],
        [texts.promised, <DateText at={carried.promised_date} />],
        [texts.location, location && `${location.city} – ${location.state}`],
        [texts.recipient, recipient.name],
        [texts.phone, recipient.phone],
        [texts.address, addressText(carried.address)],
        [texts.readAs, <Placed place={carried.resolved_address} />],
        [texts.value, carried.declared_value && <Money amount={carried.declared_value} />],
        [texts.order, <TextLink href={`/envios/orders/${carried.order_id}`} text={texts.openOrder} />],
        ...(pin === undefined ? [] : [[texts.pin, secret] as const]),
        ...(page ? [[texts.link, page] as const] : []),
      ]}
    />
  );
}

/** Actions on a package in a status, by the ends of their pages' paths. */
const actionsIn: Partial<Record<number, readonly ('address-change' | 'cancellation' | 'return')[]>> = {
  [FIRST_STATUS]: ['address-change', 'cancellation'],
  [DELIVERED]: ['return'],
};

function PackageActions({ carried, path }: { carried: Carried; path: string }) {
  const { say } = useVisit();
  const { returned_by: itsReturn, status } = carried;
  if (itsReturn !== undefined) return <LinkLine href={`/envios/orders/${itsReturn}`} text={texts.itsReturn} />;
  const actions = actionsIn[status.code];
  return actions ? (
    <p class="send">
      {actions.map((action) => (
        <a class="button secondary" href={`${path}/${action}`}>
          {say(texts[action])}
        </a>
      ))}
    </p>
  ) : null;
}

function History({ carried }: { carried: Carried }) {
  const visit = useVisit();
  const entries = [carried, ...carried.tracking_history].map(({ status, location }) => ({
    title: statusTitle(visit, status),
    at: status.updated_at,
    stage: stageOf(status),
    children: location && ` · ${location.city} – ${location.state}`,
  }));
  return (
    <Section title={texts.history}>
      <Timeline entries={entries} />
    </Section>
  );
}

function ProofSection({ proof, path }: { proof: RestSchemas['DeliveryProof']; path: string }) {
  const { say } = useVisit();
  const pictures = (['photo', 'signature'] as const).filter((kind) => proof[kind]);
  return (
    <Section title={texts.proof} id="proof">
      <Facts
        facts={[
          [texts.deliveredAt, <Time at={proof.delivered_at} />],
          [texts.receivedBy, proof.recipient_name],
          [texts.document, proof.recipient_document],
        ]}
      />
      <div class="pictures">
        {pictures.map((kind) => (
          <a href={`${path}/proof/${kind}`}>
            <img src={`${path}/proof/${kind}`} alt={say(texts[kind])} loading="lazy" />
          </a>
        ))}
      </div>
    </Section>
  );
}

const answerColumns: readonly Column<RestSchemas['PackageAnswer']>[] = [
  [texts.when, ({ created_at: at }) => <Time at={at} />],
  [
    texts.answer,
    ({ phone, address, instructions, note }) =>
      [phone, address && addressText(address), instructions, note].filter(Boolean).join(' · '),
  ],
  [texts.reply, ({ completion_note: reply }) => reply],
];

/** Hands on a picture of the proof. */
export const sendPicture =
  (kind: 'photo' | 'signature') =>
  (visit: Visit): Promise<void> => {
    const options = { params: packagePath(visit), parseAs: 'arrayBuffer' } as const;
    return handOn(visit, visit.rest.GET(`/api/v1/packages/{loggi_key}/proof/${kind}`, options));
  };
