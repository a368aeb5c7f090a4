import { command, whole } from '../../command.js';
import { bodyOf } from '../client.js';

const share = (part: number, all: number): string => (all === 0 ? '–' : `${Math.round((100 * part) / all)} %`);

export const figures = {
  getFigures: command<{ stuckDays?: number }>({
    usage: 'figures show',
    summary: 'Show what is under way and needs somebody, and how the last 14 days went.',
    example: 'figures show --stuck-days 5',
    options: [
      whole('--stuck-days <number>', 'after how many days without another status a package is stuck (default: 3)'),
    ],
    run: async ({ operator, print }, { stuckDays }) => {
      const query = stuckDays === undefined ? {} : { stuck_days: stuckDays };
      const answer = await bodyOf(operator.GET('/operator/v1/figures', { params: { query } }));
      const { days, statuses, ...counts } = answer;
      print.record(answer, counts);
      print.rows(statuses, { status: ({ code }) => code, 'packages under way': ({ packages }) => packages });
      print.rows(days, {
        day: ({ date }) => date,
        orders: ({ orders }) => orders,
        'on time': ({ on_time, due }) => share(on_time, due),
        'at the first attempt': ({ first_attempt, delivered }) => share(first_attempt, delivered),
        'hours to delivery': ({ delivery_hours }) => delivery_hours,
      });
    },
  }),
};
