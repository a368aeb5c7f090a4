import type { components } from '../../../../generated/rest.js';
import { Addition, Choice, type Column, Field, LinkLine, Listing, pageQuery } from '../../design/index.js';
import type { Text } from '../../language.js';
import { Say } from '../../page.js';
import type { Form } from '../../session/forms.js';
import { dataOf } from '../../session/operations.js';
import { keyed, redirect, type Visit } from '../../session/visit.js';
import { userTexts as texts } from '../../texts.js';
import { Time } from '../../times.js';
import { show } from '../frame.js';

export type User = components['schemas']['User'];

const roles = ['customer', 'operator'] as const;

export const Role = ({ role }: Pick<User, 'role'>) => (
  <Say text={role === 'operator' ? texts.operator : texts.customer} />
);

export const YesNo = ({ is }: { is: boolean }) => <Say text={is ? texts.yes : texts.no} />;

const userColumns: readonly Column<User>[] = [
  [texts.name, ({ id, name }) => <a href={`/console/users/${id}`}>{name}</a>],
  [texts.email, ({ email }) => email],
  [texts.phone, ({ phone }) => phone],
  [texts.role, ({ role }) => <Role role={role} />],
  [texts.phoneConfirmed, (user) => <YesNo is={user.phone_confirmed} />],
  [texts.created, ({ created_at: at }) => <Time at={at} />],
];

export async function showUsers(visit: Visit): Promise<void> {
  const { rest, url } = visit;
  const search = (url.searchParams.get('search') ?? '').trim().slice(0, 100);
  const query = { ...pageQuery(visit), ...(search !== '' && { search }) };
  const users = await dataOf(rest.GET('/api/v1/users', { params: { query } }));
  const filters = <Field name="search" type="search" label={texts.part} value={search} maxLength={100} />;
  show(
    visit,
    texts.users,
    <Listing caption={texts.users} columns={userColumns} list={users} filters={filters}>
      <LinkLine href="/console/deleted-users" text={texts.deleted} />
      <Addition action="/console/users" operation="POST /api/v1/users" submit={texts.create}>
        <ProfileFields />
        <Field name="password" type="password" label={texts.password} isRequired autocomplete="new-password" />
        <RoleChoice chosen="customer" />
      </Addition>
    </Listing>,
  );
}

export const ProfileFields = ({ user }: { user?: User }) => (
  <>
    <Field name="name" label={texts.name} isRequired value={user?.name} />
    <Field name="email" type="email" label={texts.email} isRequired value={user?.email} />
    <Field name="phone" type="tel" label={texts.phone} isRequired value={user?.phone} />
    <Field name="tax_id" label={texts.tax_id} value={user?.tax_id} maxLength={18} />
  </>
);

export const CurrentPassword = ({ hint }: { hint: Text }) => (
  <Field
    name="current_password"
    type="password"
    label={texts.currentPassword}
    hint={hint}
    autocomplete="current-password"
  />
);

export const RoleChoice = ({ chosen }: { chosen: User['role'] }) => (
  <Choice name="role" label={texts.role} value={chosen} options={roles.map((each) => [each, texts[each]])} />
);

export function profileOf({ text }: Form) {
  const role = text('role') === 'operator' ? ('operator' as const) : ('customer' as const);
  return { name: text('name'), email: text('email'), phone: text('phone'), tax_id: text('tax_id').trim(), role };
}

export async function createUser(visit: Visit): Promise<void> {
  const { tax_id: taxId, ...profile } = profileOf(visit.form);
  const body = { ...profile, ...(taxId !== '' && { tax_id: taxId }), password: visit.form.text('password') };
  const user = await dataOf(visit.rest.POST('/api/v1/users', { params: keyed(visit), body }));
  redirect(visit, `/console/users/${user.id}?done=created`);
}
