import { Readable } from 'node:stream';
import { type AccountLogFilters, accountLogBody, accountLogFile, listAccountLog } from '../accounts/account-log.js';
import { toTime } from '../base/clock.js';
import type { NoKey } from '../base/every-key.js';
import { listReply } from '../http/paging.js';
import type { Filters, RestDeps, SomeHandlers } from './deps.js';

export const accountLogHandlers = ({ db, readList }: RestDeps) =>
  ({
    listAccountLog: ({ query, ctx }) => {
      const { page: _, page_size: __, ...filters } = query;
      const wanted = filtersOf(ctx.actor.accountId, filters);
      return listReply(query, (page) => readList((lists) => listAccountLog(lists, wanted, page)), accountLogBody);
    },

    getAccountLogFile: async ({ query, ctx }) => ({
      status: 200,
      type: 'text/csv',
      body: Readable.from(accountLogFile(db, filtersOf(ctx.actor.accountId, query))),
      headers: { 'Content-Disposition': 'attachment; filename="audit-log.csv"' },
    }),
  }) satisfies SomeHandlers;

function filtersOf(accountId: string, query: Filters<'getAccountLogFile'>): AccountLogFilters {
  const { actor, actor_id: whoId, operation, created_from, created_to, ...others } = query;
  others satisfies NoKey;
  return { accountId, actor, whoId, operation, from: toTime(created_from), to: toTime(created_to) };
}
