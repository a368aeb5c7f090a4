import type { ComponentChildren } from 'preact';
import { isId } from '../../../base/ids.js';
import { onlyOne } from '../../../base/values.js';
import {
  type Column,
  Field,
  LinkLine,
  Listing,
  Page,
  Period,
  pageQuery,
  periodOf,
  useVisit,
} from '../../design/index.js';
import { type Cells, type List, type Paging, sendCsv } from '../../export.js';
import type { Text } from '../../language.js';
import type { Route } from '../../session/place.js';
import { asked, type Visit } from '../../session/visit.js';
import { packageTexts as texts } from '../../texts.js';

/** Parameters that the lists of orders and packages have in common. */
type Common = Awaited<ReturnType<typeof commonQuery>>;

interface Listed<Row> {
  path: string;
  title: Text;
  read: (visit: Visit, query: NonNullable<Common> & Paging) => Promise<List<Row>>;
  columnsOf: (visit: Visit, rows: readonly Row[]) => Promise<readonly Column<Row>[]>;
  /** Fields of the filter beside the common ones. */
  filtersOf: (visit: Visit) => Promise<ComponentChildren>;
  above?: ComponentChildren;
  /** Columns of the file. */
  cells: Cells<Row>;
}

/** An id that nobody has: it finds nothing. */
export const NOBODY = '00000000-0000-7000-8000-000000000000';

const none = { data: [], pagination: { page: 1, page_size: 1, total_items: 0, total_pages: 0 } };

/** A list with its filter, and the same as a file. */
export function listRoutes<Row>({ path, title, columnsOf, filtersOf, above, cells, ...list }: Listed<Row>) {
  const readerOf = async (visit: Visit) => {
    const common = await commonQuery(visit);
    return async (paging: Paging) => (common ? list.read(visit, { ...common, ...paging }) : none);
  };
  const showList = async (visit: Visit) => {
    const page = await (await readerOf(visit))(pageQuery(visit));
    const [columns, own] = await Promise.all([columnsOf(visit, page.data), filtersOf(visit)]);
    const filters = (
      <>
        <CommonFields />
        {own}
      </>
    );
    return (
      <Page title={title}>
        {above}
        <Listing caption={title} list={page} {...{ columns, filters }}>
          <LinkLine href={`${path}.csv${visit.url.search}`} text={texts.asCsv} />
        </Listing>
      </Page>
    );
  };
  const name = path.slice(path.lastIndexOf('/') + 1);
  const routes: Readonly<Record<string, Route>> = {
    [path]: { page: showList },
    [`${path}.csv`]: { page: async (visit) => sendCsv(visit, name, cells, await readerOf(visit)) },
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

/** Undefined where no account is the one that was typed. */
async function commonQuery(visit: Visit) {
  const userId = await accountId(visit, 'user_id');
  return userId === undefined ? undefined : { ...periodOf(visit), q: asked(visit, 'q'), user_id: userId };
}

/** The account that is asked for by its name or e-mail address, or by its id under `name`; empty without one. */
export async function accountId(visit: Visit, name: string): Promise<string | undefined> {
  const [text, id] = [asked(visit, 'account'), asked(visit, name)];
  if (text === '') return isId(id) ? id : '';
  return accountOf(visit, text);
}

/** The account of an e-mail address, or the only one with the text in its name or address; undefined for others. */
export async function accountOf({ ask }: Visit, text: string): Promise<string | undefined> {
  const search = text.trim().slice(0, 100);
  const { data } = await ask('GET /api/v1/users', { query: { search, page_size: 100 } });
  return (data.find(({ email }) => email.toLowerCase() === search.toLowerCase()) ?? onlyOne(data))?.id;
}

/** `name` is another one where a page has two of them. */
export const AccountField = ({ name = 'account', isRequired = false }: { name?: string; isRequired?: boolean }) => (
  <Field {...{ name, isRequired }} label={texts.accountEmail} value={asked(useVisit(), 'account')} maxLength={254} />
);
