import { toTime } from '../base/clock.js';
import { notFound } from '../base/errors.js';
import type { NoKey } from '../base/every-key.js';
import {
  type CalendarPreview,
  type MovedOrder,
  type MovedPickup,
  previewCalendar,
} from '../carrier/calendar-preview.js';
import {
  addCalendar,
  type CalendarSummary,
  type CalendarVersion,
  currentCalendar,
  getCalendar,
  listCalendars,
  type NewCalendar,
} from '../carrier/calendars.js';
import type { CalendarHours, ClosedDay } from '../db/tables/calendars.js';
import { listReply } from '../http/paging.js';
import type { Bodies, OperatorDeps, OperatorHandlers, Schemas } from './deps.js';

type CalendarOperation = 'addCalendar' | 'previewCalendar' | 'listCalendars' | 'getCurrentCalendar' | 'getCalendar';

export const calendarHandlers = ({ db, readList }: OperatorDeps): OperatorHandlers<CalendarOperation> => ({
  addCalendar: async ({ body }) => {
    const input = fromInput(body);
    return async (trx) => {
      const added = await addCalendar(trx, input);
      const headers = { Location: `/operator/v1/calendars/${added.version}` };
      return { status: 201, body: toCalendar(added), headers };
    };
  },

  previewCalendar: async ({ body }) => {
    const { validFrom: _, ...calendar } = fromInput(body);
    const preview = await readList((replica) => previewCalendar(replica, calendar));
    return async () => ({ status: 200, body: toPreview(preview) });
  },

  listCalendars: ({ query }) => listReply(query, (page) => listCalendars(db, page), toSummary),

  getCurrentCalendar: async () => ({ status: 200, body: toCalendar(await currentCalendar(db)) }),

  getCalendar: async ({ params }) => {
    const calendar = await getCalendar(db, params.version);
    if (!calendar) throw notFound('version of the calendar');
    return { status: 200, body: toCalendar(calendar) };
  },
});

function fromInput({ valid_from, closed, ...hours }: Schemas['CalendarInput']): NewCalendar {
  const { collection_lead_minutes, collection_cutoff, opening, closing, saturdays, sundays, ...others } = hours;
  others satisfies NoKey;
  return {
    validFrom: toTime(valid_from),
    collectionLeadMinutes: collection_lead_minutes ?? 30,
    collectionCutoff: collection_cutoff ?? null,
    opening: opening ?? '08:00',
    closing: closing ?? '20:00',
    saturdays: saturdays ?? true,
    sundays: sundays ?? false,
    closed: (closed ?? []).map(fromDay),
  };
}

function fromDay({ date, name, state, municipality, ...others }: Schemas['ClosedDayInput']): ClosedDay {
  others satisfies NoKey;
  return {
    date,
    name: name ?? '',
    ...(state !== undefined && { state }),
    ...(municipality !== undefined && { municipality }),
  };
}

const toHours = (hours: CalendarHours) => ({
  collection_lead_minutes: hours.collectionLeadMinutes,
  collection_cutoff: hours.collectionCutoff ?? undefined,
  opening: hours.opening,
  closing: hours.closing,
  saturdays: hours.saturdays,
  sundays: hours.sundays,
});

const toCalendar = ({ hours, ...version }: CalendarVersion): Bodies['Calendar'] => ({
  version: version.version,
  valid_from: version.valid_from.toISOString(),
  created_at: version.created_at.toISOString(),
  ...toHours(hours),
  closed: version.closed.map(toDay),
});

const toDay = ({ date, name, state, municipality }: ClosedDay): Bodies['ClosedDay'] => ({
  date,
  name,
  state,
  municipality,
});

const toSummary = ({ hours, ...version }: CalendarSummary): Bodies['CalendarSummary'] => ({
  version: version.version,
  valid_from: version.valid_from.toISOString(),
  created_at: version.created_at.toISOString(),
  ...toHours(hours),
  closed_count: version.closed_count,
  in_force: version.in_force,
});

function toPreview({ orderCount, moved }: CalendarPreview): Bodies['CalendarPreview'] {
  const later = moved.filter(({ pickups }) => pickups.some(({ currentFrom, newFrom }) => newFrom > currentFrom));
  return {
    order_count: orderCount,
    later_count: later.length,
    earlier_count: moved.length - later.length,
    orders: moved.map(toMovedOrder),
  };
}

const toMovedOrder = (order: MovedOrder): Bodies['MovedOrder'] => ({
  order_id: order.id,
  external_id: order.externalId ?? undefined,
  created_at: order.createdAt.toISOString(),
  pickups: order.pickups.map(toMovedPickup),
});

const toMovedPickup = ({ index, place, currentFrom, newFrom }: MovedPickup): Bodies['MovedPickup'] => ({
  index,
  city: place.city,
  state: place.state,
  current_from: currentFrom.toISOString(),
  new_from: newFrom.toISOString(),
});
