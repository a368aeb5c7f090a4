import { csvOfAreas } from '../../../files/area-rows.js';
import { BYTE_ORDER_MARK } from '../../../files/csv.js';
import { Field } from '../../design/forms.js';
import { Page } from '../../design/frame.js';
import { factList, LinkLine } from '../../design/pieces.js';
import { Addition, type Column, Listing, pageQuery } from '../../design/tables.js';
import { areaTexts as texts } from '../../texts.js';
import { asked, param, type Schemas, type Visit } from '../../visit.js';
import { NumberText, Say, Time } from '../../written.js';
import { LIST, PREVIEW } from './addition.js';
import { AreaTable, decidingLines, linesNamed, linesOf } from './lines.js';

/** Lists the versions of the service areas, with a form that starts the next one. */
export async function showVersions(visit: Visit) {
  const list = await visit.ask('GET /operator/v1/service-areas', { query: pageQuery(visit) });
  return (
    <Page title={texts.areas}>
      <p>{visit.say(texts.hint)}</p>
      <Listing caption={texts.history} columns={versionColumns} list={list} empty={texts.everywhere}>
        <Addition action={`${LIST}/preview`} operation={PREVIEW} submit={texts.preview} enctype="multipart/form-data">
          <Field name="file" type="file" label={texts.file} accept=".csv" isRequired hint={texts.format} />
          <Field name="valid_from" type="datetime-local" label={texts.valid_from} hint={texts.fromHint} />
        </Addition>
      </Listing>
    </Page>
  );
}

const versionColumns: readonly Column<Schemas['ServiceAreasSummary']>[] = [
  [texts.version, ({ version }) => <a href={`${LIST}/${version}`}>{version}</a>, 'number'],
  [texts.valid_from, ({ valid_from: at }) => <Time at={at} />],
  [texts.inForce, ({ in_force: isInForce }) => <Say text={isInForce ? texts.yes : texts.no} />],
  [texts.placeCount, ({ place_count: count }) => <NumberText of={count} />, 'number'],
  [texts.created, ({ created_at: at }) => <Time at={at} />],
];

const VERSION = 'GET /operator/v1/service-areas/{version}';
const CEP = /^\d{5}[-.]?\d{3}$/;

/** Shows the lines of one version. A search by CEP shows the lines that decide about that CEP. */
export async function showVersion(visit: Visit) {
  const { ask, say } = visit;
  const { areas, version, ...facts } = await ask(VERSION);
  const lines = linesOf(areas);
  const text = asked(visit, 'place');
  const postalCode = CEP.test(text) ? text.replace(/\D/g, '') : undefined;
  const found =
    postalCode === undefined
      ? linesNamed(lines, text)
      : decidingLines(lines, postalCode, await placeOf(visit, postalCode));
  return (
    <Page title={`${say(texts.areas)}, ${say(texts.version).toLowerCase()} ${version}`}>
      {factList([
        [texts.valid_from, <Time at={facts.valid_from} />],
        [texts.placeCount, <NumberText of={facts.place_count} />],
        [texts.created, <Time at={facts.created_at} />],
      ])}
      <LinkLine href={`${LIST}/${version}/csv`} text={texts.download} />
      {postalCode !== undefined && <p>{say(found.length > 0 ? texts.firstDecides : texts.noLineDecides)}</p>}
      <AreaTable lines={found} />
      <LinkLine href={LIST} text={texts.allVersions} />
    </Page>
  );
}

/** The municipality of the CEP. Undefined if no municipality has it. */
async function placeOf({ ask }: Visit, postal_code: string) {
  const { data } = await ask('GET /api/v1/coverage', { query: { postal_code } });
  return data[0];
}

/** Sends the version as a file that a person can edit and upload again. */
export async function sendVersion(visit: Visit): Promise<undefined> {
  const { areas } = await visit.ask(VERSION);
  visit.res
    .attachment(`areas-${param(visit, 'version')}.csv`)
    .type('text/csv; charset=utf-8')
    .send(BYTE_ORDER_MARK + csvOfAreas(areas));
}
