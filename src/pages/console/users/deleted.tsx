import { type Column, Field, LinkLine, Listing, PostForm, pageQuery } from '../../design/index.js';
import { dataOf, type Schemas } from '../../session/operations.js';
import { calling, filledPath, param, type Visit } from '../../session/visit.js';
import { userTexts as texts } from '../../texts.js';
import { Time } from '../../times.js';
import type { Ending } from '../ending.js';
import { show } from '../frame.js';

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
export async function showDeletedUsers(visit: Visit): Promise<void> {
  const { operator, url } = visit;
  const email = url.searchParams.get('email')?.trim() ?? '';
  const query = { ...pageQuery(visit), ...(email !== '' && { email: email.slice(0, 254) }) };
  const list = await dataOf(operator.GET('/operator/v1/deleted-users', { params: { query } }));
  const filters = <Field name="email" type="search" label={texts.email} value={email} maxLength={254} />;
  show(visit, texts.deleted, <Listing caption={texts.deleted} {...{ columns, list, filters }} />);
}

async function nameOf(visit: Visit): Promise<string> {
  const query = { ids: param(visit, 'id') };
  const { data } = await dataOf(visit.operator.GET('/operator/v1/names', { params: { query } }));
  return data[0]?.name ?? '';
}

const REACTIVATION = 'POST /operator/v1/users/{id}/reactivation';

export async function showReactivation(visit: Visit): Promise<void> {
  const { say } = visit;
  const action = filledPath(visit, `${LIST}/{id}/reactivation`);
  show(
    visit,
    `${say(texts.reactivate)}: ${await nameOf(visit)}`,
    <PostForm {...{ action }} operation={REACTIVATION} submit={texts.reactivate}>
      <p>{say(texts.reactivateHint)}</p>
      <Field name="password" type="password" label={texts.password} isRequired autocomplete="new-password" />
    </PostForm>,
  );
}

export const reactivate = calling(REACTIVATION, '/console/users/{id}', 'reactivated', ({ form }) => ({
  password: form.text('password'),
}));

const ERASURE = 'POST /operator/v1/users/{id}/erasure';

export const erasure: Ending = {
  submit: texts.erase,
  operation: ERASURE,
  work: calling(ERASURE, LIST),
  back: LIST,
  about: async (visit) => {
    const name = await nameOf(visit);
    return { subject: name, name, consequences: [texts.eraseHint] };
  },
};
