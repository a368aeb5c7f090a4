import { type DayCounts, type PlaceCounts, readToday, type Today } from '../orders/days/today.js';
import { type DayFigures, type Figures, readFigures } from '../orders/figures.js';
import type { Bodies, OperatorDeps, SomeHandlers } from './deps.js';

export const figuresHandlers = ({ readList, clock }: OperatorDeps) =>
  ({
    getFigures: async ({ query }) => {
      const figures = await readList((db) => readFigures(db, clock(), query.stuck_days ?? 3));
      return { status: 200, body: toFigures(figures) };
    },
    getToday: async () => ({ status: 200, body: toToday(await readList(readToday), clock()) }),
  }) satisfies SomeHandlers;

const toFigures = (figures: Figures): Bodies['Figures'] => ({
  at: figures.at.toISOString(),
  orders_counted: figures.ordersCounted,
  late: figures.late,
  stuck: figures.stuck,
  statuses: figures.statuses,
  attempts: figures.attempts,
  days: figures.days.map(toDay),
});

const toDay = (day: DayFigures): Bodies['DayFigures'] => ({
  date: day.date,
  orders: day.orders,
  due: day.due,
  on_time: day.onTime,
  delivered: day.delivered,
  first_attempt: day.firstAttempt,
  delivery_hours: day.deliveryHours ?? undefined,
});

const toPlaces = ({ toCollect, inBases, onTheRoad, late }: PlaceCounts): Bodies['PlaceCounts'] => ({
  to_collect: toCollect,
  in_bases: inBases,
  on_the_road: onTheRoad,
  late,
});

const toDayCounts = ({ planned, deliveredOfPlanned, delivered, ...places }: DayCounts): Bodies['DayCounts'] => ({
  ...toPlaces(places),
  planned,
  delivered_of_planned: deliveredOfPlanned,
  delivered,
});

const toToday = (figures: Today, at: Date): Bodies['Today'] => ({
  at: at.toISOString(),
  today: toDayCounts(figures.today),
  yesterday: toDayCounts(figures.yesterday),
  statuses: figures.statuses,
  missed: figures.missed,
  late: figures.late,
  bases: figures.bases.map(({ city, state, today, yesterday }) => ({
    city,
    state,
    today: toPlaces(today),
    yesterday: toPlaces(yesterday),
  })),
  customers: figures.customers.map(({ accountId, today, yesterday }) => ({
    user_id: accountId,
    today: toPlaces(today),
    yesterday: toPlaces(yesterday),
  })),
  days: figures.days.map(({ date, orders, packages, delivered, onTime, firstAttempt }) => ({
    date,
    orders,
    packages,
    delivered,
    on_time: onTime,
    first_attempt: firstAttempt,
  })),
});
