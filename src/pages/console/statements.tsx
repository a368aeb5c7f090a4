import { Field, Filters } from '../design/forms.js';
import { Page } from '../design/frame.js';
import { factList, LinkLine } from '../design/pieces.js';
import { type Column, Listing, pageQuery } from '../design/tables.js';
import { streamOn } from '../shared/files.js';
import { findMonth, MAX_SHOWN_LINES, monthColumns, StatementParts, StatementState } from '../shared/statements.js';
import { statementTexts as texts } from '../texts.js';
import { asked, param, type Schemas, type Visit } from '../visit.js';
import { Money, monthText, NumberText, Time } from '../written.js';

const ACCOUNT_MONTHS = 'GET /operator/v1/users/{id}/statements';
const ACCOUNT_MONTH = 'GET /operator/v1/users/{id}/statements/{month}';
const MONTH = 'GET /operator/v1/statements/{month}';

const listAt = (visit: Visit): string => `/console/users/${param(visit, 'id')}/statements`;

/** The name of an account, also of a deleted one. */
async function accountName(visit: Visit): Promise<string> {
  const id = param(visit, 'id');
  const { data } = await visit.ask('GET /operator/v1/names', { query: { ids: id } });
  return data[0]?.name ?? id;
}

/** The months of an account, the latest first. */
export async function showAccountMonths(visit: Visit) {
  const list = await visit.ask(ACCOUNT_MONTHS, { query: pageQuery(visit) });
  return (
    <Page title={`${visit.say(texts.statements)}: ${await accountName(visit)}`}>
      <LinkLine href={`/console/users/${param(visit, 'id')}`} text={texts.account} />
      <Listing caption={texts.statements} columns={monthColumns(listAt(visit))} empty={texts.noMonths} list={list} />
    </Page>
  );
}

/** Shows a month of an account, on screen and in print. */
export async function showAccountMonth(visit: Visit) {
  const { ask, language } = visit;
  const month = param(visit, 'month');
  const statement = await summaryOf(visit, month);
  const [lines, methods] = await Promise.all([
    statement.line_count > MAX_SHOWN_LINES ? undefined : linesOf(visit),
    ask('GET /operator/v1/users/{id}/payment-methods', { query: { page_size: 100 } }),
  ]);
  const names = new Map(methods.data.map(({ id, label }) => [id, label]));
  return (
    <Page title={`${await accountName(visit)}, ${monthText(month, language)}`}>
      <StatementParts
        {...{ statement, lines, methods: names }}
        csv={`${listAt(visit)}/${month}/csv`}
        orderAt="/console/orders"
      />
    </Page>
  );
}

/** The sums of a month. If the list lacks the month, the operation of the month answers or says why not. */
const summaryOf = async ({ ask }: Visit, month: string) =>
  (await findMonth(month, (query) => ask(ACCOUNT_MONTHS, { query }))) ?? ask(ACCOUNT_MONTH);

const linesOf = async ({ ask }: Visit) => (await ask(ACCOUNT_MONTH)).lines;

export const sendAccountMonth = (visit: Visit) =>
  streamOn(visit, ACCOUNT_MONTH, { query: { language: visit.language }, headers: { accept: 'text/csv' } });

type MonthStatement = Schemas['MonthStatement'];

/** Shows a month of all accounts. The default is the present month. */
export async function showMonth(visit: Visit) {
  const { say, language, askIfAny } = visit;
  const month = /^20\d{2}-(0[1-9]|1[0-2])$/.test(asked(visit, 'month'))
    ? asked(visit, 'month')
    : presentMonth(visit.now);
  const list = await askIfAny(MONTH, { path: { month }, query: pageQuery(visit) });
  const filters = <Field name="month" type="month" label={texts.month} value={month} />;
  if (!list)
    return (
      <Page title={texts.statements}>
        <Filters>{filters}</Filters>
        <p>{say(texts.noLines)}</p>
      </Page>
    );
  return (
    <Page title={`${say(texts.statements)}: ${monthText(month, language)}`}>
      {factList([
        [texts.state, <StatementState of={list} />],
        list.closed_at === undefined
          ? [texts.closes, <Time at={list.closes_at} />]
          : [texts.closed, <Time at={list.closed_at} />],
      ])}
      <Listing caption={texts.statements} columns={accountColumns(month)} {...{ list, filters }}>
        <LinkLine href={`/console/statements/${month}/csv`} text={texts.allAsCsv} />
      </Listing>
    </Page>
  );
}

/** The current month in São Paulo. */
const presentMonth = (now: Date): string =>
  new Intl.DateTimeFormat('sv-SE', { timeZone: 'America/Sao_Paulo', dateStyle: 'short' }).format(now).slice(0, 7);

const accountColumns = (month: string): readonly Column<MonthStatement>[] => [
  [texts.account, ({ user_id: id, name }) => <a href={`/console/users/${id}/statements/${month}`}>{name}</a>],
  [texts.state, (statement) => <StatementState of={statement} />],
  [texts.lines, ({ line_count: count }) => <NumberText of={count} />, 'number'],
  [texts.total, ({ total }) => <Money amount={total} />, 'number'],
];

export const sendMonth = (visit: Visit) =>
  streamOn(visit, MONTH, { query: { language: visit.language }, headers: { accept: 'text/csv' } });
