import { Readable } from 'node:stream';
import { notFound } from '../base/errors.js';
import type { NoKey } from '../base/every-key.js';
import type { Db } from '../db/connect.js';
import { type JsonStream, mappedPages, streamJson } from '../http/json-stream.js';
import { listBody, listReply, pageOf } from '../http/paging.js';
import {
  type AccountStatement,
  listAccountStatements,
  namesOfAccounts,
} from '../orders/statements/account-statements.js';
import {
  fileName,
  jsonName,
  monthFile,
  readStatement,
  type StatementReading,
  statementFile,
  statementHeaders,
} from '../orders/statements/read-statement.js';
import { lineBody, stateBody, statementSummaryBody, sumsBody } from '../orders/statements/statement-body.js';
import { begunMonth, listStatements, monthClosedAt } from '../orders/statements/statements.js';
import type { Bodies, OperatorDeps, OperatorHandlers } from './deps.js';

type StatementOperation = 'listUserStatements' | 'getUserStatement' | 'listMonthStatements';

export const statementsHandlers = ({ db, readList }: OperatorDeps): OperatorHandlers<StatementOperation> => ({
  listUserStatements: async ({ params: { id }, query }) => {
    await demandUser(db, id);
    return listReply(query, (page) => readList((lists) => listStatements(lists, id, page)), statementSummaryBody);
  },

  getUserStatement: async ({ params: { id, month }, query: { language = 'pt-BR', ...others }, ctx }) => {
    others satisfies NoKey;
    await demandUser(db, id);
    const reading = await readStatement(db, month, id);
    if (ctx.mediaType !== 'text/csv')
      return { status: 200, body: toStatement(reading), headers: statementHeaders(reading) };
    const body = Readable.from(statementFile(reading, language));
    return { status: 200, type: 'text/csv', body, headers: statementHeaders(reading, language) };
  },

  listMonthStatements: async ({ params, query: { language = 'pt-BR', ...paging }, ctx }) => {
    if (ctx.mediaType === 'text/csv') {
      const body = Readable.from(await monthFile(db, params.month, language));
      return { status: 200, type: 'text/csv', body, headers: fileName(params.month, language) };
    }
    const page = pageOf(paging);
    const body = await readList((lists) => monthBody(lists, params.month, page));
    return { status: 200, body, headers: jsonName(params.month) };
  },
});

/** Throws NOT_FOUND if the account never existed. A deleted account keeps its statements. */
async function demandUser(db: Db, id: string): Promise<void> {
  if ((await namesOfAccounts(db, [id])).size === 0) throw notFound('user');
}

async function monthBody(db: Db, name: string, page: ReturnType<typeof pageOf>): Promise<Bodies['MonthStatementList']> {
  const month = await begunMonth(db, name);
  const closedAt = await monthClosedAt(db, month);
  const list = await listAccountStatements(db, month, page);
  if (list.total === 0) throw notFound('statement of this month');
  return {
    month: month.name,
    state: closedAt ? 'closed' : 'open',
    closes_at: month.closesAt.toISOString(),
    closed_at: closedAt?.toISOString(),
    ...listBody(list, page, (statement) => toMonthStatement(statement, month)),
  };
}

const toMonthStatement = (
  { accountId, name, closing, ...sums }: AccountStatement,
  month: Parameters<typeof stateBody>[0],
): Bodies['MonthStatement'] => {
  const { state, closed_at, csv_sha256 } = stateBody(month, closing);
  return { user_id: accountId, name, state, closed_at, csv_sha256, ...sumsBody(sums) };
};

const toStatement = ({ month, closing, pages, sums }: StatementReading): JsonStream<Bodies['Statement']> =>
  streamJson(stateBody(month, closing), 'lines', mappedPages(pages, lineBody), () => sumsBody(sums()));
