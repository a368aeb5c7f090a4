import { Choice, Field, OperationForm, Time } from '../components.js';
import type { Form } from '../forms.js';
import { show } from '../frame.js';
import { type Column, Listing, pageQuery } from '../lists.js';
import { dataOf, type RefusalError, type Schemas } from '../operations.js';
import { redirect, type Visit } from '../visit.js';
import { texts } from './texts.js';

type OperatorKey = Schemas['OperatorKey'];

const scopes = ['movements', 'read', 'all'] as const;

/** `GET /console/operator-keys` */
export async function showKeys(visit: Visit, refusal?: RefusalError): Promise<void> {
  const { operator, say } = visit;
  const params = { query: pageQuery(visit) };
  const keys = await dataOf(operator.GET('/operator/v1/operator-keys', { params }));
  show(
    visit,
    say(texts.keys),
    <>
      <p>{say(texts.keysOf)}</p>
      <Listing
        visit={visit}
        caption={texts.keys}
        columns={keyColumns(visit)}
        list={keys}
        addition={{
          action: '/console/operator-keys',
          operation: 'POST /operator/v1/operator-keys',
          submit: texts.newKey,
          children: (
            <>
              <Field visit={visit} name="name" label={texts.name} isRequired maxLength={255} />
              <Choice
                visit={visit}
                name="scope"
                label={texts.scope}
                options={scopes.map((scope) => ({ value: scope, text: scope }))}
              />
              <Field
                visit={visit}
                name="current_password"
                type="password"
                label={texts.currentPassword}
                hint={texts.proofHint}
                autocomplete="current-password"
              />
            </>
          ),
        }}
      />
    </>,
    { refusal },
  );
}

const keyColumns = (visit: Visit, { say } = visit): Column<OperatorKey>[] => [
  { heading: texts.name, cell: ({ name }) => name },
  { heading: texts.scope, cell: ({ scope }) => scope },
  { heading: texts.createdBy, cell: ({ created_by: id }) => <a href={`/console/users/${id}`}>{id}</a> },
  { heading: texts.lastUsed, cell: ({ last_used_at: at }) => at && <Time visit={visit} at={at} /> },
  { heading: texts.madeWithFactor, cell: ({ second_factor: given }) => say(given === false ? texts.no : texts.yes) },
  { heading: texts.expires, cell: ({ expires_at: at }) => at && <Time visit={visit} at={at} /> },
  {
    heading: texts.revoked,
    cell: ({ id, revoked_at: at }) =>
      at ? (
        <Time visit={visit} at={at} />
      ) : (
        <OperationForm
          visit={visit}
          action={`/console/operator-keys/${id}/revocation`}
          operation="POST /operator/v1/operator-keys/{id}/revocation"
          submit={texts.revoke}
          isDangerous
        />
      ),
  },
];

const keyed = (form: Form) => ({ 'Idempotency-Key': form.text('key') });

/** `POST /console/operator-keys` shows the secret, this once. */
export async function createKey(visit: Visit, form: Form): Promise<void> {
  const { operator, say } = visit;
  const scope = scopes.find((each) => each === form.text('scope')) ?? 'movements';
  const password = form.optional('current_password');
  const body = { name: form.text('name'), scope, ...(password !== undefined && { current_password: password }) };
  const made = await dataOf(operator.POST('/operator/v1/operator-keys', { params: { header: keyed(form) }, body }));
  show(
    visit,
    made.operator_key.name,
    <>
      <p>{say(texts.secret)}</p>
      <p>
        <code class="secret">{made.secret}</code>
      </p>
      <p>
        <a href="/console/operator-keys">{say(texts.back)}</a>
      </p>
    </>,
  );
}

/** `POST /console/operator-keys/{id}/revocation` */
export async function revokeKey(visit: Visit, form: Form): Promise<void> {
  const params = { path: { id: String(visit.req.params['id']) }, header: keyed(form) };
  await dataOf(visit.operator.POST('/operator/v1/operator-keys/{id}/revocation', { params }));
  redirect(visit, '/console/operator-keys?done=saved');
}
