import { codesIn } from '../../../validation/readings.js';
import { chosen } from '../../chosen.js';
import { plainTime } from '../../dates.js';
import { Area, Choice, Field, PostForm } from '../../design/forms.js';
import { SplitPage } from '../../design/frame.js';
import { Card, factList } from '../../design/pieces.js';
import { type Column, ListPage, pageQuery, TableSection } from '../../design/tables.js';
import {
  collectionColumns,
  collectionFacts,
  collectionStates,
  listedColumns,
  stateOptions,
} from '../../shared/collections.js';
import { collectionTexts as texts } from '../../texts.js';
import { asked, askedOf, calling, type RestSchemas, useVisit, type Visit } from '../../visit.js';
import { AccountField, accountFilter, Named, type Names, namesOf } from '../names.js';
import { localTime } from './movement.js';

const RECEIPT = 'POST /operator/v1/collections/{code}/receipt';

const columns = (names: Names): readonly Column<RestSchemas['CollectionRecord']>[] => [
  [texts.code, ({ code }) => <a href={`/console/collections/${code}`}>{code}</a>],
  [texts.account, ({ user_id: id }) => <Named {...{ id, names }} />],
  ...collectionColumns,
];

export async function showCollections(visit: Visit) {
  const account = await accountFilter(visit, 'user_id');
  const list = await visit.ask('GET /operator/v1/collections', {
    query: { state: askedOf(visit, 'state', collectionStates), user_id: account.id, ...pageQuery(visit) },
  });
  const names = await namesOf(
    visit,
    list.data.map(({ user_id: id }) => id),
  );
  const filters = [
    <AccountField />,
    <Choice name="state" label={texts.status} value={asked(visit, 'state')} options={stateOptions} />,
  ];
  const { instead } = account;
  const empty = texts.noLists;
  return <ListPage title={texts.collections} columns={columns(names)} {...{ list, filters, instead, empty }} />;
}

export async function showCollection(visit: Visit) {
  const { ask, say } = visit;
  const list = await ask('GET /operator/v1/collections/{code}');
  const names = await namesOf(visit, [list.user_id]);
  const receipt = list.state === 'open' && <ReceiptForm code={list.code} />;
  return (
    <SplitPage title={`${say(texts.list)} ${list.code}`} side={receipt}>
      {factList([[texts.account, <Named id={list.user_id} names={names} />], ...collectionFacts(list)])}
      <TableSection caption={texts.packages} columns={listedColumns('/console')} rows={list.packages} />
    </SplitPage>
  );
}

const given = ['missing', 'scanned'] as const;
const givenTexts = { missing: texts.givenMissing, scanned: texts.givenScanned };
const kinds = given.map((each) => [each, givenTexts[each]] as const);

function ReceiptForm({ code }: { code: string }) {
  const time = { type: 'datetime-local', step: 1, isRequired: true, value: localTime(useVisit().now) } as const;
  return (
    <Card title={texts.receive} id="receive">
      <PostForm action={`/console/collections/${code}/receipt`} operation={RECEIPT} submit={texts.receive}>
        <Field name="happened_at" label={texts.happened_at} hint={texts.atHint} {...time} />
        <Choice name="given" label={texts.given} value="missing" options={kinds} />
        <Area name="codes" label={texts.codes} hint={texts.codesHint} />
        <Field name="location.city" label={texts.city} maxLength={1000} />
        <Field name="location.state" label={texts.state} maxLength={1000} />
      </PostForm>
    </Card>
  );
}

export const receive = calling(RECEIPT, '/console/collections/{code}', 'saved', ({ form }) => {
  const { text, optional } = form;
  const codes = codesIn(text('codes'));
  const [city, state] = [optional('location.city'), optional('location.state')?.toUpperCase()];
  return {
    happened_at: plainTime(text('happened_at')),
    ...(chosen(form, 'given', given) === 'scanned' ? { scanned: codes } : { missing: codes }),
    ...((city || state) && { location: { city: city ?? '', state: state ?? '' } }),
  };
});
