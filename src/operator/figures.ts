import { type DayFigures, type Figures, readFigures } from '../orders/figures.js';
import type { Bodies, OperatorDeps, SomeHandlers } from './deps.js';

export const figuresHandlers = ({ readList, clock }: OperatorDeps) =>
  ({
    getFigures: async ({ query }) => {
      const figures = await readList((db) => readFigures(db, clock(), query.stuck_days ?? 3));
      return { status: 200, body: toFigures(figures) };
    },
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
