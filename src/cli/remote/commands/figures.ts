import { operation } from '../operation.js';

const share = (part: number, all: number): string => (all === 0 ? '–' : `${Math.round((100 * part) / all)} %`);

export const figures = {
  getFigures: operation('getFigures', 'figures show', {
    summary: 'Show what is under way and needs somebody, and how the last 14 days went.',
    example: '--stuck-days 5',
    options: {
      stuck_days: [
        '--stuck-days <number>',
        'after how many days without another status a package is stuck (default: 3)',
      ],
    },
    show: (print, answer) => {
      const { days, statuses, ...counts } = answer;
      print.record(answer, counts);
      print.rows(statuses, ['code as status', 'packages as packages under way']);
      print.rows(days, [
        'date as day',
        'orders',
        ['on time', ({ on_time, due }) => share(on_time, due)],
        ['at the first attempt', ({ first_attempt, delivered }) => share(first_attempt, delivered)],
        'delivery_hours as hours to delivery',
      ]);
    },
  }),
};
