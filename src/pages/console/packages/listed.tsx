import type { ComponentChildren } from 'preact';
import { useVisit } from '../../design/context.js';
import { Field } from '../../design/forms.js';
import { Period, periodOf } from '../../design/period.js';
import { LinkLine } from '../../design/pieces.js';
import { type Column, ListPage, pageQuery } from '../../design/tables.js';
import { type Cells, type List, type Paging, sendCsv } from '../../export.js';
import type { Text } from '../../language.js';
import type { Route } from '../../session/place.js';
import { asked, type Visit } from '../../session/visit.js';
import { packageTexts as texts } from '../../texts.js';
import { AccountField, type AccountFilter, accountFilter } from '../accounts.js';

/** Parameters that the lists of orders and packages have in common. */
type CommonQuery = ReturnType<typeof periodOf> & Record<'q' | 'user_id', string>;

interface Listed<Row> {
  path: string;
  title: Text;
  read: (visit: Visit, query: CommonQuery & Paging) => Promise<List<Row>>;
  columnsOf: (visit: Visit, rows: readonly Row[]) => Promise<readonly Column<Row>[]>;
  /** Fields of the filter beside the common ones. */
  filtersOf: (visit: Visit) => Promise<ComponentChildren>;
  above?: ComponentChildren;
  /** Columns of the file. */
  cells: Cells<Row>;
}

/** A list with its filter, and the same as a file. */
export function listRoutes<Row>({ path, title, columnsOf, filtersOf, above, cells, ...list }: Listed<Row>) {
  const readerOf = (visit: Visit, { id: user_id }: AccountFilter) => {
    const common = { ...periodOf(visit), q: asked(visit, 'q'), user_id };
    return (paging: Paging) => list.read(visit, { ...common, ...paging });
  };
  const showList = async (visit: Visit) => {
    const account = await accountFilter(visit, 'user_id');
    const page = await readerOf(visit, account)(pageQuery(visit));
    const [columns, own] = await Promise.all([columnsOf(visit, page.data), filtersOf(visit)]);
    const filters = (
      <>
        <CommonFields />
        {own}
      </>
    );
    return (
      <ListPage list={page} instead={account.instead} {...{ title, above, columns, filters }}>
        {!account.instead && <LinkLine href={`${path}.csv${visit.url.search}`} text={texts.asCsv} />}
      </ListPage>
    );
  };
  const name = path.slice(path.lastIndexOf('/') + 1);
  const routes: Readonly<Record<string, Route>> = {
    [path]: { page: showList },
    [`${path}.csv`]: {
      page: async (visit) => sendCsv(visit, name, cells, readerOf(visit, await accountFilter(visit, 'user_id'))),
    },
  };
  return routes;
}

function CommonFields() {
  const visit = useVisit();
  return (
    <>
      <Field name="q" type="search" label={texts.text} value={asked(visit, 'q')} maxLength={255} />
      <AccountField />
      <Period />
    </>
  );
}
