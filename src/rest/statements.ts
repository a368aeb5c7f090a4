import { Readable } from 'node:stream';
import type { NoKey } from '../base/every-key.js';
import { type JsonStream, mappedPages, streamJson } from '../http/json-stream.js';
import { listReply } from '../http/paging.js';
import type { StatementReading } from '../orders/statements/read-statement.js';
import { readStatement, statementFile, statementHeaders } from '../orders/statements/read-statement.js';
import { lineBody, stateBody, statementSummaryBody, sumsBody } from '../orders/statements/statement-body.js';
import { listStatements } from '../orders/statements/statements.js';
import type { Bodies, RestDeps, SomeHandlers } from './deps.js';

export const statementsHandlers = ({ db, readList }: RestDeps) =>
  ({
    listStatements: ({ query, ctx }) =>
      listReply(
        query,
        (page) => readList((lists) => listStatements(lists, ctx.actor.accountId, page)),
        statementSummaryBody,
      ),

    getStatement: async ({ params, query: { language = 'pt-BR', ...others }, ctx }) => {
      others satisfies NoKey;
      const reading = await readStatement(db, params.month, ctx.actor.accountId);
      if (ctx.mediaType !== 'text/csv')
        return { status: 200, body: toStatement(reading), headers: statementHeaders(reading) };
      const body = Readable.from(statementFile(reading, language));
      return { status: 200, type: 'text/csv', body, headers: statementHeaders(reading, language) };
    },
  }) satisfies SomeHandlers;

const toStatement = ({ month, closing, pages, sums }: StatementReading): JsonStream<Bodies['Statement']> =>
  streamJson(stateBody(month, closing), 'lines', mappedPages(pages, lineBody), () => sumsBody(sums()));
