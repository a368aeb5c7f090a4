import { areasOfCsv, type SheetArea } from '../../../files/area-rows.js';
import { plainTime } from '../../dates.js';
import { PostForm } from '../../design/forms.js';
import { Page } from '../../design/frame.js';
import { factList, LinkLine } from '../../design/pieces.js';
import { type Column, Table } from '../../design/tables.js';
import { detailText, postalCodeText, areaTexts as texts } from '../../texts.js';
import { carrierOf, keyed, type Schemas, useVisit, type Visit } from '../../visit.js';
import { NumberText, Say, Time } from '../../written.js';
import { readSheet, withLinesOf } from '../sheets.js';

// An operator uploads a version of the service areas as a file. A preview lists the orders that it would refuse. The
// form of the preview holds the version, sealed, so that exactly the previewed version is added.

export const LIST = '/console/service-areas';
export const PREVIEW = 'POST /operator/v1/service-areas/previews';
const ADDITION = 'POST /operator/v1/service-areas';

interface Version {
  areas: SheetArea[];
  /** Empty if the version must be in force at once. */
  validFrom: string;
}

const { packed, unpacked } = carrierOf<Version>('service areas', { areas: [], validFrom: '' });

const bodyOf = ({ areas, validFrom }: Version) => ({ areas, valid_from: validFrom === '' ? undefined : validFrom });

/** Shows the newest orders that the uploaded areas would refuse, and a form that adds the areas. */
export async function previewAreas(visit: Visit) {
  const { say, form } = visit;
  const at = form.optional('valid_from');
  const version = { areas: await readSheet(form.file, areasOfCsv), validFrom: at === undefined ? '' : plainTime(at) };
  const preview = await visit.ask(PREVIEW, { ...keyed(visit), body: bodyOf(version) }).catch(withLinesOf('areas'));
  const refusals = preview.orders.flatMap(({ refusals: all, ...order }) => all.map((refusal) => ({ order, refusal })));
  const hidden = { progress: await packed(version, visit) };
  return (
    <Page title={texts.preview}>
      <p>{say(texts.previewOf)}</p>
      {factList([
        [texts.file, form.file?.name],
        [texts.placeCount, <NumberText of={version.areas.length} />],
        [texts.valid_from, version.validFrom === '' ? say(texts.atOnce) : <Time at={version.validFrom} />],
        [texts.orders, preview.order_count],
        [texts.refused, preview.refused_count],
      ])}
      <Table caption={texts.refused} columns={refusalColumns} rows={refusals} empty={texts.noneRefused} />
      <PostForm action={LIST} operation={ADDITION} submit={texts.add} kind="danger" {...{ hidden }} />
      <LinkLine href={LIST} text={texts.another} />
    </Page>
  );
}

interface Refused {
  order: Omit<Schemas['RefusedOrder'], 'refusals'>;
  refusal: Schemas['AreaRefusal'];
}

const refusalColumns: readonly Column<Refused>[] = [
  [
    texts.order,
    ({ order: { order_id: id, external_id: name } }) => (
      <a href={`/console/orders/${id}`}>{name ?? <Say text={texts.seeOrder} />}</a>
    ),
  ],
  [texts.created, ({ order }) => <Time at={order.created_at} />],
  [texts.why, ({ refusal }) => detailText(refusal, useVisit().say)],
  [
    texts.place,
    ({ refusal: { city, state, postal_code: code } }) =>
      [`${city} – ${state}`, code && postalCodeText(code)].filter(Boolean).join(', '),
  ],
  [
    texts.line,
    ({ refusal: { area, decided_by: by } }) =>
      area === undefined ? <Say text={texts.noLine} /> : `${area + 1}: ${by}`,
  ],
];

/** Adds the version that the preview showed. */
export async function addAreas(visit: Visit) {
  const body = bodyOf(await unpacked(visit));
  const {
    version,
    valid_from: at,
    refused_under_way: count = 0,
  } = await visit.ask(ADDITION, { ...keyed(visit), body }).catch(withLinesOf('areas'));
  return (
    <Page title={texts.added}>
      {factList([
        [texts.version, <a href={`${LIST}/${version}`}>{version}</a>],
        [texts.valid_from, <Time at={at} />],
        [texts.underWay, <NumberText of={count} />],
      ])}
      {count > 0 && <p>{visit.say(texts.underWayHint)}</p>}
      <LinkLine href={LIST} text={texts.allVersions} />
    </Page>
  );
}
