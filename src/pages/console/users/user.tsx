import { Facts, Field, HiddenFields, OperationForm, Time } from '../components.js';
import type { Form } from '../forms.js';
import { show } from '../frame.js';
import { Table } from '../lists.js';
import { answerOf, dataOf, type RefusalError } from '../operations.js';
import { redirect, type Visit } from '../visit.js';
import { RoleChoice, roleOf, type User } from './list.js';
import { texts } from './texts.js';

const idOf = ({ req }: Visit): string => String(req.params['id']);
const paramsOf = (visit: Visit) => ({ path: { id: idOf(visit) } });
const keyed = (visit: Visit, form: Form) => ({
  params: { ...paramsOf(visit), header: { 'Idempotency-Key': form.text('key') } },
});

const editable = ['name', 'email', 'phone', 'role'] as const;

/** `GET /console/users/{id}`; after a refusal with what was typed. */
export async function showUser(visit: Visit, refusal?: RefusalError, form?: Form): Promise<void> {
  const { rest, say } = visit;
  const { data: user, response } = await answerOf(rest.GET('/api/v1/users/{id}', { params: paramsOf(visit) }));
  if (!user) return;
  const typed = form?.text('etag') ? form : undefined;
  const isStale = refusal?.code === 'PRECONDITION_FAILED' && typed !== undefined;
  show(
    visit,
    user.name,
    <>
      {isStale && <Difference visit={visit} user={user} form={typed} />}
      <UserFacts visit={visit} user={user} />
      <p>
        <a href={`/console/packages?user_id=${user.id}`}>{say(texts.packages)}</a>{' '}
        <a href={`/console/webhook-endpoints?user_id=${user.id}`}>{say(texts.endpoints)}</a>
      </p>
      <UpdateForm visit={visit} user={user} etag={response.headers.get('etag') ?? ''} form={typed} />
      <UserActions visit={visit} user={user} etag={response.headers.get('etag') ?? ''} />
    </>,
    { refusal },
  );
}

/** What is stored now beside what was typed. */
function Difference({ visit, user, form }: { visit: Visit; user: User; form: Form }) {
  const { say } = visit;
  const rows = editable.flatMap((field) =>
    form.text(field) === user[field] ? [] : { field, now: user[field], typed: form.text(field) },
  );
  return (
    <section>
      <h2>{say(texts.whatChanged)}</h2>
      <Table
        visit={visit}
        caption={texts.whatChanged}
        rows={rows}
        columns={[
          { heading: texts.field, cell: ({ field }) => say(texts[field]) },
          { heading: texts.now, cell: ({ now }) => now },
          { heading: texts.typed, cell: ({ typed }) => typed },
        ]}
      />
      <p>{say(texts.overwrite)}</p>
    </section>
  );
}

const UserFacts = ({ visit, user }: { visit: Visit; user: User }) => (
  <Facts
    visit={visit}
    facts={[
      [texts.email, user.email],
      [texts.phone, user.phone],
      [texts.phoneConfirmed, visit.say(user.phone_confirmed ? texts.yes : texts.no)],
      [texts.role, visit.say(user.role === 'operator' ? texts.operator : texts.customer)],
      [texts.created, <Time visit={visit} at={user.created_at} />],
      [texts.id, <code>{user.id}</code>],
    ]}
  />
);

interface UpdateProps {
  visit: Visit;
  user: User;
  etag: string;
  form: Form | undefined;
}

function UpdateForm({ visit, user, etag, form }: UpdateProps) {
  const { say, session } = visit;
  const value = (field: (typeof editable)[number]) => form?.text(field) ?? user[field];
  return (
    <section>
      <h2>{say(texts.change)}</h2>
      <OperationForm
        visit={visit}
        action={`/console/users/${user.id}`}
        operation="PUT /api/v1/users/{id}"
        submit={texts.save}
      >
        <HiddenFields fields={{ etag }} />
        <Field visit={visit} name="name" label={texts.name} isRequired value={value('name')} />
        <Field visit={visit} name="email" type="email" label={texts.email} isRequired value={value('email')} />
        <Field visit={visit} name="phone" type="tel" label={texts.phone} isRequired value={value('phone')} />
        <RoleChoice visit={visit} role={value('role')} />
        <Field visit={visit} name="password" type="password" label={texts.newPassword} autocomplete="new-password" />
        {user.role === 'operator' && <p class="hint">{say(texts.keysEnd)}</p>}
        {session.accountId === user.id && (
          <Field
            visit={visit}
            name="current_password"
            type="password"
            label={texts.currentPassword}
            hint={texts.currentHint}
            autocomplete="current-password"
          />
        )}
      </OperationForm>
    </section>
  );
}

/** `POST /console/users/{id}` */
export async function updateUser(visit: Visit, form: Form): Promise<void> {
  const [password, currentPassword] = [form.optional('password'), form.optional('current_password')];
  const body = {
    name: form.text('name'),
    email: form.text('email'),
    phone: form.text('phone'),
    role: roleOf(form),
    ...(password !== undefined && { password: form.text('password') }),
    ...(currentPassword !== undefined && { current_password: form.text('current_password') }),
  };
  const params = { ...paramsOf(visit), header: { 'If-Match': form.text('etag') } };
  await answerOf(visit.rest.PUT('/api/v1/users/{id}', { params, body }));
  redirect(visit, `/console/users/${idOf(visit)}?done=saved`);
}

function UserActions({ visit, user, etag }: { visit: Visit; user: User; etag: string }) {
  const { say } = visit;
  const action = (name: string) => `/console/users/${user.id}/${name}`;
  return (
    <section>
      <h2>{say(texts.actions)}</h2>
      {!user.phone_confirmed && (
        <OperationForm
          visit={visit}
          action={action('phone-confirmation')}
          operation="POST /operator/v1/users/{id}/phone-confirmation"
          submit={texts.confirmPhone}
        />
      )}
      <OperationForm
        visit={visit}
        action={action('api-key-rotation')}
        operation="POST /operator/v1/users/{id}/api-key-rotation"
        submit={texts.rotateKey}
        isDangerous
      />
      {user.role === 'operator' && (
        <OperationForm
          visit={visit}
          action={action('second-factor-removal')}
          operation="DELETE /operator/v1/users/{id}/second-factor"
          submit={texts.removeFactor}
          isDangerous
        />
      )}
      <OperationForm
        visit={visit}
        action={action('deactivation')}
        operation="DELETE /api/v1/users/{id}"
        submit={texts.deactivate}
        isDangerous
      >
        <HiddenFields fields={{ if_match: etag }} />
      </OperationForm>
    </section>
  );
}

const backTo = (visit: Visit) => redirect(visit, `/console/users/${idOf(visit)}?done=saved`);

/** `POST /console/users/{id}/phone-confirmation` */
export async function confirmPhone(visit: Visit, form: Form): Promise<void> {
  await dataOf(visit.operator.POST('/operator/v1/users/{id}/phone-confirmation', keyed(visit, form)));
  backTo(visit);
}

/** `POST /console/users/{id}/api-key-rotation` */
export async function rotateApiKey(visit: Visit, form: Form): Promise<void> {
  await dataOf(visit.operator.POST('/operator/v1/users/{id}/api-key-rotation', keyed(visit, form)));
  backTo(visit);
}

/** `POST /console/users/{id}/second-factor-removal` */
export async function removeSecondFactor(visit: Visit): Promise<void> {
  await answerOf(visit.operator.DELETE('/operator/v1/users/{id}/second-factor', { params: paramsOf(visit) }));
  backTo(visit);
}

/** `POST /console/users/{id}/deactivation` */
export async function deactivate(visit: Visit, form: Form): Promise<void> {
  const params = { ...paramsOf(visit), header: { 'If-Match': form.text('if_match') } };
  await answerOf(visit.rest.DELETE('/api/v1/users/{id}', { params }));
  redirect(visit, '/console/users?done=deactivated');
}
