import { chosen } from '../../chosen.js';
import { Choice, Field, PostForm } from '../../design/forms.js';
import { Page } from '../../design/frame.js';
import { LinkLine } from '../../design/pieces.js';
import { Addition, type Column, ListPage, pageQuery } from '../../design/tables.js';
import type { Form } from '../../forms.js';
import { ending } from '../../session/ending.js';
import { YesNo } from '../../shared/words.js';
import { type Text, userTexts as texts } from '../../texts.js';
import { asked, calling, keyed, type RestSchemas, type Schemas, type Visit } from '../../visit.js';
import { Say, Time } from '../../written.js';
import { ownName } from '../names.js';

export type User = RestSchemas['User'];

const roles = ['customer', 'operator'] as const;

export const Role = ({ role }: Pick<User, 'role'>) => <Say text={texts[role]} />;

const userColumns: readonly Column<User>[] = [
  [texts.name, ({ id, name }) => <a href={`/console/users/${id}`}>{name}</a>],
  [texts.email, ({ email }) => email],
  [texts.phone, ({ phone }) => phone],
  [texts.role, ({ role }) => <Role role={role} />],
  [texts.phoneConfirmed, (user) => <YesNo is={user.phone_confirmed} />],
  [texts.created, ({ created_at: at }) => <Time at={at} />],
];

const ADDITION = 'POST /api/v1/users';

export async function showUsers(visit: Visit) {
  const search = asked(visit, 'search').slice(0, 100);
  const list = await visit.ask('GET /api/v1/users', { query: { ...pageQuery(visit), search } });
  const filters = <Field name="search" type="search" label={texts.part} value={search} maxLength={100} />;
  return (
    <ListPage title={texts.users} columns={userColumns} {...{ list, filters }}>
      <LinkLine href="/console/deleted-users" text={texts.deleted} />
      <LinkLine href="/console/erasures" text={texts.erasures} />
      <Addition action="/console/users" operation={ADDITION} submit={texts.create}>
        <ProfileFields />
        <Field name="password" type="password" label={texts.password} isRequired autocomplete="new-password" />
        <RoleChoice chosen="customer" />
        <CurrentPassword hint={texts.createProofHint} />
      </Addition>
    </ListPage>
  );
}

export const ProfileFields = ({ user }: { user?: User }) => [
  <Field name="name" label={texts.name} isRequired value={user?.name} />,
  <Field name="email" type="email" label={texts.email} isRequired value={user?.email} />,
  <Field name="phone" type="tel" label={texts.phone} isRequired value={user?.phone} />,
  <Field name="tax_id" label={texts.tax_id} value={user?.tax_id} maxLength={18} />,
];

const currentPassword = { name: 'current_password', type: 'password', autocomplete: 'current-password' } as const;

export const CurrentPassword = ({ hint, isRequired = false }: { hint?: Text; isRequired?: boolean }) => (
  <Field {...currentPassword} label={texts.currentPassword} {...{ hint, isRequired }} />
);

export const RoleChoice = ({ chosen }: { chosen: User['role'] }) => (
  <Choice name="role" label={texts.role} value={chosen} options={roles.map((each) => [each, texts[each]])} />
);

export const profileOf = ({ text, password }: Form) => ({
  name: text('name'),
  email: text('email'),
  phone: text('phone'),
  tax_id: text('tax_id').trim(),
  role: chosen({ text }, 'role', roles),
  password: password('password'),
  current_password: password('current_password'),
});

export async function createUser(visit: Visit): Promise<string> {
  const { tax_id, ...profile } = profileOf(visit.form);
  const body = { ...profile, tax_id: tax_id || undefined, password: visit.form.text('password') };
  const user = await visit.ask(ADDITION, { ...keyed(visit), body });
  return `/console/users/${user.id}?done=created`;
}

type DeletedUser = Schemas['DeletedUser'];

const LIST = '/console/deleted-users';

const columns: readonly Column<DeletedUser>[] = [
  [texts.name, ({ name }) => name],
  [texts.email, ({ email }) => email],
  [texts.deletedAt, ({ deleted_at: at }) => <Time at={at} />],
  [texts.held, ({ held_at: at }) => at && <Time at={at} />],
  [
    texts.actions,
    ({ id, held_at: held }) => [
      <LinkLine href={`${LIST}/${id}/reactivation`} text={texts.reactivate} />,
      !held && <LinkLine href={`${LIST}/${id}/erasure`} text={texts.erase} />,
    ],
  ],
];

/** Lists deactivated accounts whose personal data still exists. */
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
      <CurrentPassword isRequired />
    </PostForm>
  </Page>
);

export const reactivate = calling(REACTIVATION, '/console/users/{id}', 'reactivated', ({ form }) => ({
  password: form.text('password'),
  current_password: form.text('current_password'),
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
