import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { command, oneOf, option, type Session, whole } from '../../command.js';
import { wrongUsage } from '../../errors.js';
import type { OperationId, Values } from '../client.js';
import { operation, table } from '../operation.js';

const file = {
  csv: option('--csv <file>', 'write the lines as CSV to a file; - is standard output'),
  language: oneOf('--language <language>', 'language of the file (default: pt-BR)', ['pt-BR', 'en']),
};

export const statements = {
  listUserStatements: operation('listUserStatements', 'statements list <user>', {
    summary: 'List the months of a user, each with what its orders cost.',
    show: table(['month', 'state', 'line_count as lines', 'total', 'closes_at as closes', 'closed_at as closed']),
  }),
  getUserStatement: command({
    usage: 'statements show <user> <month>',
    summary: "Show the lines of a user's month, or write them to a file.",
    example: 'ana@example.com 2026-11 --csv extrato.csv',
    options: file,
    run: async (session, { csv, ...query }, id = '', month = '') => {
      const path = { id, month };
      if (csv !== undefined) return writeCsv(session, csv, 'getUserStatement', { path, query });
      const statement = await session.call('getUserStatement', { path });
      const { lines, sums, csv_sha256: _, ...rest } = statement;
      session.print.record(statement, rest);
      session.print.rows(lines, [
        'at',
        'kind',
        ['order', (line) => line.external_id ?? line.order_id],
        'service',
        'payment_method_id as method',
        'amount',
      ]);
    },
  }),
  listMonthStatements: command({
    usage: 'statements month <month>',
    summary: 'List what the orders of each user cost in a month, or write all lines to a file.',
    example: '2026-11 --csv extratos.csv',
    options: {
      ...file,
      page: whole('--page <number>', 'page of the list'),
      pageSize: whole('--page-size <number>', 'rows of a page'),
    },
    run: async (session, { csv, page, pageSize, ...query }, month = '') => {
      const path = { month };
      if (csv !== undefined) return writeCsv(session, csv, 'listMonthStatements', { path, query });
      const paging = { ...(page !== undefined && { page }), ...(pageSize !== undefined && { page_size: pageSize }) };
      const list = await session.call('listMonthStatements', { path, query: paging });
      session.print.list(list, ['user_id', 'name', 'state', 'line_count as lines', 'total']);
    },
  }),
};

async function writeCsv(
  { send, terminal, print }: Session,
  file: string,
  id: OperationId,
  values: Values,
): Promise<void> {
  const { body } = await send(id, { ...values, accept: 'text/csv' });
  if (!body) throw wrongUsage('The service sent no file.');
  const source = Readable.from(body);
  if (file === '-') {
    for await (const bytes of source) terminal.stdout.write(bytes);
    return;
  }
  await pipeline(source, createWriteStream(file)).catch((error: Error) => {
    throw wrongUsage(`The file cannot be written: ${error.message}`);
  });
  print.say(`${file} is written.`);
}
