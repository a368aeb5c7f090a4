import { Field, PostForm } from '../../design/forms.js';
import { Page } from '../../design/frame.js';
import { LinkLine } from '../../design/pieces.js';
import { type Column, ListPage, pageQuery } from '../../design/tables.js';
import { ending } from '../../session/ending.js';
import type { Schemas } from '../../session/operations.js';
import { asked, calling, type Visit } from '../../session/visit.js';
import { userTexts as texts } from '../../texts.js';
import { Time } from '../../times.js';
import { ownName } from '../names.js';

type DeletedUser = Schemas['DeletedUser'];

const LIST = '/console/deleted-users';

const columns: readonly Column<DeletedUser>[] = [
  [texts.name, ({ name }) => name],
  [texts.email, ({ email }) => email],
  [texts.deletedAt, ({ deleted_at: at }) => <Time at={at} />],
  [texts.held, ({ held_at: at }) => at && <Time at={at} />],
  [
    texts.actions,
    ({ id, held_at: held }) => (
      <>
        <LinkLine href={`${LIST}/${id}/reactivation`} text={texts.reactivate} />
        {!held && <LinkLine href={`${LIST}/${id}/erasure`} text={texts.erase} />}
      </>
    ),
  ],
];

/** Accounts that were deactivated, as long as their personal data is there. */
export async function showDeletedUsers(visit: Visit) {
  const email = asked(visit, 'email').slice(0, 254);
  const list = await visit.ask('GET /operator/v1/deleted-users', { query: { ...pageQuery(visit), email } });
  const filters = <Field name="email" type="search" label={texts.email} value={email} maxLength={254} />;
  return <ListPage title={texts.deleted} {...{ columns, list, filters }} />;
}

const REACTIVATION = 'POST /operator/v1/users/{id}/reactivation';

export const showReactivation = async (visit: Visit) => (
  <Page title={`${visit.say(texts.reactivate)}: ${await ownName(visit)}`}>
    <PostForm action={visit.url.pathname} operation={REACTIVATION} submit={texts.reactivate}>
      <p>{visit.say(texts.reactivateHint)}</p>
      <Field name="password" type="password" label={texts.password} isRequired autocomplete="new-password" />
    </PostForm>
  </Page>
);

export const reactivate = calling(REACTIVATION, '/console/users/{id}', 'reactivated', ({ form }) => ({
  password: form.text('password'),
}));

export const erasure = ending({
  submit: texts.erase,
  operation: 'POST /operator/v1/users/{id}/erasure',
  back: LIST,
  about: async (visit) => {
    const name = await ownName(visit);
    return { subject: name, name, consequences: [texts.eraseHint] };
  },
});
