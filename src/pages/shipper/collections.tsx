import { isId } from '../../base/ids.js';
import { Choice, PostForm } from '../design/forms.js';
import { Page } from '../design/frame.js';
import { EndingLink, factList, LinkLine } from '../design/pieces.js';
import { type Column, ListPage, pageQuery, TableSection } from '../design/tables.js';
import { ending } from '../session/ending.js';
import {
  collectionColumns,
  collectionFacts,
  collectionStates,
  listedColumns,
  stateOptions,
} from '../shared/collections.js';
import { handOn } from '../shared/files.js';
import { collectionTexts as texts } from '../texts.js';
import { asked, askedOf, keyed, type RestSchemas, type Visit } from '../visit.js';
import { NumberText } from '../written.js';

const LIST = 'POST /api/v1/collections';

/** Maximum number of orders in a collection list, by the contract. */
const MAX_ORDERS = 500;

const columns: readonly Column<RestSchemas['CollectionRecord']>[] = [
  [texts.code, ({ id, code }) => <a href={`/envios/collections/${id}`}>{code}</a>],
  ...collectionColumns,
];

export async function showCollections(visit: Visit) {
  const list = await visit.ask('GET /api/v1/collections', {
    query: { state: askedOf(visit, 'state', collectionStates), ...pageQuery(visit) },
  });
  const filters = <Choice name="state" label={texts.status} value={asked(visit, 'state')} options={stateOptions} />;
  const above = <p>{visit.say(texts.listsHint)}</p>;
  return <ListPage title={texts.collections} empty={texts.noLists} {...{ list, columns, filters, above }} />;
}

/** Asks before the packages of the selected orders go on a list. Without a selection, redirects to the orders. */
export async function showNewCollection({ url, form, say }: Visit) {
  const sent = form.has('orders') ? form.text('orders').split(',') : url.searchParams.getAll('order');
  const ids = sent.filter(isId).slice(0, MAX_ORDERS);
  if (ids.length === 0) return '/envios/orders';
  return (
    <Page title={texts.newList}>
      <p>{say(texts.newListHint)}</p>
      {factList([[texts.orders, <NumberText of={ids.length} />]])}
      <PostForm
        action="/envios/collections/new"
        operation={LIST}
        submit={texts.createList}
        hidden={{ orders: ids.join(',') }}
      />
    </Page>
  );
}

export async function createCollection(visit: Visit): Promise<string> {
  const order_ids = visit.form.text('orders').split(',');
  const { id } = await visit.ask(LIST, { ...keyed(visit), body: { order_ids } });
  return `/envios/collections/${id}?done=saved`;
}

export async function showCollection({ ask, say, url: { pathname: path } }: Visit) {
  const list = await ask('GET /api/v1/collections/{id}');
  return (
    <Page title={`${say(texts.list)} ${list.code}`}>
      {factList(collectionFacts(list))}
      <LinkLine href={`${path}/sheet`} text={texts.sheet} kind="button" />
      <TableSection caption={texts.packages} columns={listedColumns('/envios')} rows={list.packages} />
      {list.state === 'open' && (
        <p>
          <EndingLink href={`${path}/cancellation`} text={texts.cancelList} />
        </p>
      )}
    </Page>
  );
}

export const sendSheet = (visit: Visit) => handOn(visit, 'GET /api/v1/collections/{id}/sheet');

export const cancellation = ending({
  submit: texts.cancelList,
  operation: 'POST /api/v1/collections/{id}/cancellation',
  back: '/envios/collections/{id}',
  about: async ({ ask }) => {
    const { code } = await ask('GET /api/v1/collections/{id}');
    return { subject: code, consequences: [texts.cancelListHint] };
  },
});
