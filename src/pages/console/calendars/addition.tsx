import { plainTime } from '../../dates.js';
import { PostForm } from '../../design/forms.js';
import { Page } from '../../design/frame.js';
import { factList, LinkLine } from '../../design/pieces.js';
import { type Column, Table } from '../../design/tables.js';
import type { BodyOf } from '../../operations.js';
import { calendarTexts as texts } from '../../texts.js';
import { carrierOf, keyed, type Schemas, type Visit } from '../../visit.js';
import { NumberText, Say, Time } from '../../written.js';
import { withLinesOf } from '../sheets.js';
import { calendarIn } from './fields.js';

// The preview of a calendar says which orders it would move. The form of the preview holds the version, sealed, and
// adds it: the operator adds no other version than the preview has shown.

export const LIST = '/console/calendars';
export const PREVIEW = 'POST /operator/v1/calendars/previews';
const ADDITION = 'POST /operator/v1/calendars';

interface Version {
  calendar: BodyOf<typeof ADDITION>;
  /** Empty if the calendar must be in force at once. */
  validFrom: string;
}

const { packed, unpacked } = carrierOf<Version>('calendars', { calendar: {}, validFrom: '' });

const bodyOf = ({ calendar, validFrom }: Version) => ({
  ...calendar,
  valid_from: validFrom === '' ? undefined : validFrom,
});

/** Shows the newest orders that the calendar of the form would move, and the form that adds it. */
export async function previewCalendar(visit: Visit) {
  const { say, form } = visit;
  const at = form.optional('valid_from');
  const { closed } = await visit.ask('GET /operator/v1/calendars/current');
  const version = { calendar: await calendarIn(form, closed), validFrom: at === undefined ? '' : plainTime(at) };
  const preview = await visit.ask(PREVIEW, { ...keyed(visit), body: bodyOf(version) }).catch(withLinesOf('closed'));
  const moves = preview.orders.flatMap(({ pickups, ...order }) => pickups.map((pickup) => ({ order, pickup })));
  const hidden = { progress: await packed(version, visit) };
  return (
    <Page title={texts.preview}>
      <p>{say(texts.previewOf)}</p>
      {factList([
        [texts.closed, <NumberText of={version.calendar.closed?.length ?? 0} />],
        [texts.valid_from, version.validFrom === '' ? say(texts.atOnce) : <Time at={version.validFrom} />],
        [texts.orders, preview.order_count],
        [texts.later, preview.later_count],
        [texts.earlier, preview.earlier_count],
      ])}
      <Table caption={texts.moved} columns={moveColumns} rows={moves} empty={texts.noneMoved} />
      <PostForm action={LIST} operation={ADDITION} submit={texts.add} kind="danger" {...{ hidden }} />
      <LinkLine href={LIST} text={texts.another} />
    </Page>
  );
}

interface Move {
  order: Omit<Schemas['MovedOrder'], 'pickups'>;
  pickup: Schemas['MovedPickup'];
}

const moveColumns: readonly Column<Move>[] = [
  [
    texts.order,
    ({ order: { order_id: id, external_id: name } }) => (
      <a href={`/console/orders/${id}`}>{name ?? <Say text={texts.seeOrder} />}</a>
    ),
  ],
  [texts.created, ({ order }) => <Time at={order.created_at} />],
  [texts.place, ({ pickup: { city, state } }) => `${city} – ${state}`],
  [texts.currentFrom, ({ pickup }) => <Time at={pickup.current_from} />],
  [texts.newFrom, ({ pickup }) => <Time at={pickup.new_from} />],
];

/** Adds the version that the preview showed. */
export async function addCalendar(visit: Visit) {
  const body = bodyOf(await unpacked(visit));
  const { version, valid_from: at } = await visit.ask(ADDITION, { ...keyed(visit), body }).catch(withLinesOf('closed'));
  return (
    <Page title={texts.added}>
      {factList([
        [texts.version, <a href={`${LIST}/${version}`}>{version}</a>],
        [texts.valid_from, <Time at={at} />],
      ])}
      <LinkLine href={LIST} text={texts.allVersions} />
    </Page>
  );
}
