import { BYTE_ORDER_MARK } from '../../../files/csv.js';
import { csvOfDays } from '../../../files/day-rows.js';
import { Page } from '../../design/frame.js';
import { factList, LinkLine } from '../../design/pieces.js';
import { Addition, type Column, Listing, pageQuery } from '../../design/tables.js';
import { municipalityOfCode } from '../../facts.js';
import { placeText } from '../../shared/words.js';
import { calendarTexts as texts } from '../../texts.js';
import { param, type Schemas, type Visit } from '../../visit.js';
import { DateText, NumberText, Say, Time } from '../../written.js';
import { LIST, PREVIEW } from './addition.js';
import { CalendarFields } from './fields.js';

/** Lists the versions of the calendar, with a form that starts the next one. */
export async function showCalendars(visit: Visit) {
  const [current, list] = await Promise.all([
    visit.ask('GET /operator/v1/calendars/current'),
    visit.ask('GET /operator/v1/calendars', { query: pageQuery(visit) }),
  ]);
  return (
    <Page title={texts.calendars}>
      <p>{visit.say(texts.hint)}</p>
      <Listing caption={texts.history} columns={versionColumns} list={list}>
        <Addition action={`${LIST}/preview`} operation={PREVIEW} submit={texts.preview} enctype="multipart/form-data">
          <CalendarFields stored={current} />
        </Addition>
      </Listing>
    </Page>
  );
}

type Summary = Schemas['CalendarSummary'];
type Hours = Pick<Summary, 'opening' | 'closing'>;

const hoursText = ({ opening, closing }: Hours): string => `${opening} – ${closing}`;

const versionColumns: readonly Column<Summary>[] = [
  [texts.version, ({ version }) => <a href={`${LIST}/${version}`}>{version}</a>, 'number'],
  [texts.valid_from, ({ valid_from: at }) => <Time at={at} />],
  [texts.inForce, ({ in_force: isInForce }) => <Say text={isInForce ? texts.yes : texts.no} />],
  [texts.hours, hoursText],
  [texts.collection_cutoff, ({ collection_cutoff: cutoff }) => cutoff ?? '–'],
  [texts.closed, ({ closed_count: count }) => <NumberText of={count} />, 'number'],
  [texts.created, ({ created_at: at }) => <Time at={at} />],
];

const VERSION = 'GET /operator/v1/calendars/{version}';
const PAGE_DAYS = 50;

/** Shows one version, with its days off page by page. */
export async function showCalendar(visit: Visit) {
  const { ask, say } = visit;
  const { closed, version, ...facts } = await ask(VERSION);
  const days = closed.toSorted((a, b) => a.date.localeCompare(b.date));
  const { page = 1 } = pageQuery(visit);
  const from = (page - 1) * PAGE_DAYS;
  const pagination = {
    ...{ page, page_size: PAGE_DAYS, total_items: days.length },
    total_pages: Math.ceil(days.length / PAGE_DAYS),
  };
  const list = { data: days.slice(from, from + PAGE_DAYS), pagination };
  return (
    <Page title={`${say(texts.calendars)}, ${say(texts.version).toLowerCase()} ${version}`}>
      {factList([
        [texts.valid_from, <Time at={facts.valid_from} />],
        [texts.hours, hoursText(facts)],
        [texts.collection_cutoff, facts.collection_cutoff ?? '–'],
        [texts.collection_lead_minutes, <NumberText of={facts.collection_lead_minutes} />],
        [texts.saturdays, say(facts.saturdays ? texts.yes : texts.no)],
        [texts.sundays, say(facts.sundays ? texts.yes : texts.no)],
        [texts.created, <Time at={facts.created_at} />],
      ])}
      <LinkLine href={`${LIST}/${version}/csv`} text={texts.download} />
      <Listing caption={texts.closed} columns={dayColumns} list={list} empty={texts.noDays} />
      <LinkLine href={LIST} text={texts.allVersions} />
    </Page>
  );
}

type Day = Schemas['ClosedDay'];

const dayColumns: readonly Column<Day>[] = [
  // Noon in UTC is on the same day in Brazil.
  [texts.date, ({ date }) => <DateText at={`${date}T12:00:00Z`} />],
  [texts.name, ({ name }) => name],
  [texts.place, (day) => <DayPlace of={day} />],
];

function DayPlace({ of: { state, municipality } }: { of: Day }) {
  if (municipality === undefined) return state === undefined ? <Say text={texts.everywhere} /> : state;
  const { name = '', state: of = '' } = municipalityOfCode(municipality) ?? {};
  return `${placeText({ city: name, state: of })} (${municipality})`;
}

/** Sends the days off as a file that a person can edit and upload again. */
export async function sendDays(visit: Visit): Promise<undefined> {
  const { closed } = await visit.ask(VERSION);
  visit.res
    .attachment(`days-off-${param(visit, 'version')}.csv`)
    .type('text/csv; charset=utf-8')
    .send(BYTE_ORDER_MARK + csvOfDays(closed));
}
