import { type DayFigures, readFigures } from '../orders/figures.js';
import type { OperatorDeps, OperatorHandlers, Schemas } from './deps.js';

export const figuresHandlers = ({ readList, clock }: OperatorDeps): OperatorHandlers<'getFigures'> => ({
  getFigures: async ({ query }) => {
    const { at, ordersCounted, days, ...counts } = await readList((db) =>
      readFigures(db, clock(), query.stuck_days ?? 3),
    );
    return {
      status: 200,
      body: { at: at.toISOString(), orders_counted: ordersCounted, ...counts, days: days.map(toDay) },
    };
  },
});

const toDay = ({ onTime, firstAttempt, deliveryHours, ...day }: DayFigures): Schemas['DayFigures'] => ({
  ...day,
  on_time: onTime,
  first_attempt: firstAttempt,
  ...(deliveryHours !== null && { delivery_hours: deliveryHours }),
});
