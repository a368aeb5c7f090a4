import type { components } from '../../../../generated/rest.js';
import { Choice, Field, Time } from '../components.js';
import type { Form } from '../forms.js';
import { show } from '../frame.js';
import { type Column, Listing, pageQuery } from '../lists.js';
import { dataOf, type RefusalError } from '../operations.js';
import { redirect, type Visit } from '../visit.js';
import { texts } from './texts.js';

export type User = components['schemas']['User'];

export const roles = ['customer', 'operator'] as const;

export const roleOf = (form: Form): (typeof roles)[number] =>
  form.text('role') === 'operator' ? 'operator' : 'customer';

const userColumns = (visit: Visit): Column<User>[] => [
  { heading: texts.name, cell: ({ id, name }) => <a href={`/console/users/${id}`}>{name}</a> },
  { heading: texts.email, cell: ({ email }) => email },
  { heading: texts.phone, cell: ({ phone }) => phone },
  { heading: texts.role, cell: ({ role }) => visit.say(role === 'operator' ? texts.operator : texts.customer) },
  { heading: texts.phoneConfirmed, cell: (user) => visit.say(user.phone_confirmed ? texts.yes : texts.no) },
  { heading: texts.created, cell: ({ created_at: at }) => <Time visit={visit} at={at} /> },
];

/** `GET /console/users` */
export async function showUsers(visit: Visit, refusal?: RefusalError, form?: Form): Promise<void> {
  const { rest, say, url } = visit;
  const search = (url.searchParams.get('search') ?? '').trim().slice(0, 100);
  const query = { ...pageQuery(visit), ...(search !== '' && { search }) };
  const users = await dataOf(rest.GET('/api/v1/users', { params: { query } }));
  show(
    visit,
    say(texts.users),
    <Listing
      visit={visit}
      caption={texts.users}
      columns={userColumns(visit)}
      list={users}
      filters={<Field visit={visit} name="search" type="search" label={texts.part} value={search} maxLength={100} />}
      addition={{
        action: '/console/users',
        operation: 'POST /api/v1/users',
        submit: texts.create,
        children: <UserFields visit={visit} form={form} />,
      }}
    />,
    { refusal },
  );
}

function UserFields({ visit, form }: { visit: Visit; form: Form | undefined }) {
  return (
    <>
      <Field visit={visit} name="name" label={texts.name} isRequired value={form?.text('name')} />
      <Field visit={visit} name="email" type="email" label={texts.email} isRequired value={form?.text('email')} />
      <Field visit={visit} name="phone" type="tel" label={texts.phone} isRequired value={form?.text('phone')} />
      <Field
        visit={visit}
        name="password"
        type="password"
        label={texts.password}
        isRequired
        autocomplete="new-password"
      />
      <RoleChoice visit={visit} role={form?.text('role') ?? 'customer'} />
    </>
  );
}

export const RoleChoice = ({ visit, role }: { visit: Visit; role: string }) => (
  <Choice
    visit={visit}
    name="role"
    label={texts.role}
    value={role}
    options={roles.map((each) => ({ value: each, text: visit.say(texts[each]) }))}
  />
);

/** `POST /console/users` */
export async function createUser(visit: Visit, form: Form): Promise<void> {
  const [name, email, phone, password] = ['name', 'email', 'phone', 'password'].map((field) => form.text(field));
  const body = {
    name: name ?? '',
    email: email ?? '',
    phone: phone ?? '',
    password: password ?? '',
    role: roleOf(form),
  };
  const params = { header: { 'Idempotency-Key': form.text('key') } };
  const user = await dataOf(visit.rest.POST('/api/v1/users', { params, body }));
  redirect(visit, `/console/users/${user.id}?done=created`);
}
