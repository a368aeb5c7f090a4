import { Page } from '../design/frame.js';
import { ListPage, pageQuery } from '../design/tables.js';
import { streamOn } from '../shared/files.js';
import { findMonth, MAX_SHOWN_LINES, monthColumns, StatementParts } from '../shared/statements.js';
import { statementTexts as texts } from '../texts.js';
import { param, type Visit } from '../visit.js';
import { monthText } from '../written.js';

const LIST = '/envios/statements';
const MONTH = 'GET /api/v1/statements/{month}';

/** Lists the months of the account, latest first. */
export async function showStatements(visit: Visit) {
  const list = await visit.ask('GET /api/v1/statements', { query: pageQuery(visit) });
  const above = <p>{visit.say(texts.hint)}</p>;
  return <ListPage title={texts.statements} columns={monthColumns(LIST)} empty={texts.noMonths} {...{ list, above }} />;
}

/** Shows a month, on screen and in print. */
export async function showStatement(visit: Visit) {
  const { ask, say, language } = visit;
  const month = param(visit, 'month');
  const statement = await summaryOf(visit, month);
  const [lines, methods, me] = await Promise.all([
    statement.line_count > MAX_SHOWN_LINES ? undefined : linesOf(visit),
    ask('GET /api/v1/payment-methods', { query: { page_size: 100 } }),
    ask('GET /api/v1/users/me'),
  ]);
  const names = new Map(methods.data.map(({ id, label }) => [id, label]));
  return (
    <Page title={`${say(texts.statement)}: ${monthText(month, language)}`}>
      <p>{me.name}</p>
      <StatementParts {...{ statement, lines, methods: names }} csv={`${LIST}/${month}/csv`} orderAt="/envios/orders" />
    </Page>
  );
}

/** The sums of a month. If the list lacks the month, the operation of the month answers or says why not. */
const summaryOf = async ({ ask }: Visit, month: string) =>
  (await findMonth(month, (query) => ask('GET /api/v1/statements', { query }))) ?? ask(MONTH);

const linesOf = async ({ ask }: Visit) => (await ask(MONTH)).lines;

/** Sends the month as a CSV file in the language of the page. */
export const sendStatement = (visit: Visit) =>
  streamOn(visit, MONTH, { query: { language: visit.language }, headers: { accept: 'text/csv' } });
