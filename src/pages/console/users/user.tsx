import {
  Choice,
  type Column,
  Copy,
  EndingLink,
  Facts,
  Field,
  PostForm,
  Section,
  Table,
  TableSection,
  useVisit,
} from '../../design/index.js';
import type { Text } from '../../language.js';
import { Word } from '../../page.js';
import type { Form } from '../../session/forms.js';
import { answerOf, dataOf, type OperationName, type Schemas } from '../../session/operations.js';
import { calling, param, pathId, redirect, type Visit } from '../../session/visit.js';
import { keyScopeTexts, userTexts as texts } from '../../texts.js';
import { Time } from '../../times.js';
import type { Ending } from '../ending.js';
import { show } from '../frame.js';
import { CurrentPassword, ProfileFields, profileOf, Role, RoleChoice, type User, YesNo } from './list.js';

const PAGE = '/console/users/{id}';
const editable = ['name', 'email', 'phone', 'tax_id', 'role'] as const;

export async function showUser(visit: Visit): Promise<void> {
  const { rest, operator, say, refusal, form, session } = visit;
  const { data: user, response } = await answerOf(rest.GET('/api/v1/users/{id}', { params: pathId(visit) }));
  if (!user) return;
  const fiscal = await dataOf(operator.GET('/operator/v1/users/{id}/fiscal-rule', { params: pathId(visit) }));
  const params = { ...pathId(visit), query: { page_size: 100 } };
  const keys = await dataOf(operator.GET('/operator/v1/users/{id}/api-keys', { params }));
  const isStale = refusal?.code === 'PRECONDITION_FAILED' && form.has('etag');
  const etag = response.headers.get('etag') ?? '';
  show(
    visit,
    user.name,
    <>
      {isStale && <Difference user={user} form={form} />}
      <UserFacts user={user} />
      <p>
        <a href={`/console/packages?user_id=${user.id}`}>{say(texts.packages)}</a>{' '}
        <a href={`/console/webhook-endpoints?user_id=${user.id}`}>{say(texts.endpoints)}</a>
      </p>
      <UpdateForm user={user} etag={etag} isOwn={session.accountId === user.id} />
      <FiscalForm fiscal={fiscal} />
      <TableSection caption={texts.apiKeys} columns={keyColumns} rows={keys.data} />
      <UserActions user={user} />
    </>,
  );
}

/** The stored fields beside those that were typed. */
function Difference({ user, form }: { user: User; form: Form }) {
  const { say } = useVisit();
  const changed = editable.filter((field) => form.text(field) !== (user[field] ?? ''));
  return (
    <Section title={texts.changed}>
      <Table
        caption={texts.changed}
        rows={changed}
        columns={[
          [texts.field, (field) => say(texts[field])],
          [texts.now, (field) => user[field]],
          [texts.typed, (field) => form.text(field)],
        ]}
      />
      <p>{say(texts.overwrite)}</p>
    </Section>
  );
}

const UserFacts = ({ user }: { user: User }) => (
  <Facts
    facts={[
      [texts.email, user.email],
      [texts.phone, user.phone],
      [texts.tax_id, user.tax_id],
      [texts.phoneConfirmed, <YesNo is={user.phone_confirmed} />],
      [texts.role, <Role role={user.role} />],
      [texts.created, <Time at={user.created_at} />],
      [texts.id, <Copy value={user.id} />],
    ]}
  />
);

function UpdateForm({ user, etag, isOwn }: { user: User; etag: string; isOwn: boolean }) {
  const { say } = useVisit();
  return (
    <Section title={texts.change}>
      <PostForm
        action={`/console/users/${user.id}`}
        operation="PUT /api/v1/users/{id}"
        submit={texts.save}
        hidden={{ etag }}
      >
        <ProfileFields user={user} />
        <RoleChoice chosen={user.role} />
        <Field name="password" type="password" label={texts.newPassword} autocomplete="new-password" />
        <p class="hint">{say(texts.keysEnd)}</p>
        {isOwn && <CurrentPassword hint={texts.currentHint} />}
      </PostForm>
    </Section>
  );
}

const keyColumns: readonly Column<Schemas['ApiKey']>[] = [
  [texts.name, ({ name }) => name],
  [texts.scope, ({ scope }) => <Word of={keyScopeTexts} value={scope} />],
  [texts.created, ({ created_at: at }) => <Time at={at} />],
  [texts.expires, ({ expires_at: at }) => at && <Time at={at} />],
  [texts.revoked, (key) => (key.revoked_at ? <Time at={key.revoked_at} /> : <KeyRevocation of={key} />)],
];

const KeyRevocation = ({ of: { user_id: user, id } }: { of: Schemas['ApiKey'] }) => (
  <EndingLink href={`/console/users/${user}/api-keys/${id}/revocation`} text={texts.revoke} />
);

export async function updateUser(visit: Visit): Promise<void> {
  const { form, rest } = visit;
  const [password, currentPassword] = [form.optional('password'), form.optional('current_password')];
  const body = {
    ...profileOf(form),
    ...(password !== undefined && { password: form.text('password') }),
    ...(currentPassword !== undefined && { current_password: form.text('current_password') }),
  };
  const params = { ...pathId(visit), header: { 'If-Match': form.text('etag') } };
  await answerOf(rest.PUT('/api/v1/users/{id}', { params, body }));
  redirect(visit, `/console/users/${param(visit, 'id')}?done=saved`);
}

const FISCAL_RULE = 'PUT /operator/v1/users/{id}/fiscal-rule';
const fiscalRules = ['default', 'optional', 'required'] as const;

const FiscalForm = ({ fiscal: { user_id: id, rule } }: { fiscal: Schemas['FiscalRule'] }) => (
  <Section title={texts.fiscalRule}>
    <PostForm action={`/console/users/${id}/fiscal-rule`} operation={FISCAL_RULE} submit={texts.save}>
      <Choice
        name="rule"
        label={texts.fiscalDocument}
        value={rule}
        options={fiscalRules.map((each) => [each, texts[each]])}
      />
    </PostForm>
  </Section>
);

export const setFiscalRule = calling(FISCAL_RULE, '/console/users/{id}', 'saved', ({ form }) => ({
  rule: fiscalRules.find((each) => each === form.text('rule')) ?? 'default',
}));

function UserActions({ user }: { user: User }) {
  const at = `/console/users/${user.id}`;
  return (
    <Section title={texts.actions}>
      {!user.phone_confirmed && (
        <PostForm action={`${at}/phone-confirmation`} operation={CONFIRMATION} submit={texts.confirmPhone} />
      )}
      <EndingLink href={`${at}/api-key-rotation`} text={texts.rotateKey} />
      {user.role === 'operator' && <EndingLink href={`${at}/second-factor-removal`} text={texts.removeFactor} />}
      <EndingLink href={`${at}/deactivation`} text={texts.deactivate} />
    </Section>
  );
}

const CONFIRMATION = 'POST /operator/v1/users/{id}/phone-confirmation';
export const confirmPhone = calling(CONFIRMATION, PAGE);

/** An ending at an account's page that asks for nothing to be typed. */
const plain = (submit: Text, operation: OperationName, hint: Text): Ending => ({
  submit,
  operation,
  work: calling(operation, PAGE),
  back: PAGE,
  about: async ({ rest, ...visit }) => {
    const { name } = await dataOf(rest.GET('/api/v1/users/{id}', { params: pathId(visit) }));
    return { subject: name, consequences: [hint] };
  },
});

const OF_USER = '/operator/v1/users/{id}';
export const keyRotation = plain(texts.rotateKey, `POST ${OF_USER}/api-key-rotation`, texts.rotateKeyHint);
export const factorRemoval = plain(texts.removeFactor, `DELETE ${OF_USER}/second-factor`, texts.removeFactorHint);
export const keyRevocation = plain(texts.revoke, `DELETE ${OF_USER}/api-keys/{key_id}`, texts.revokeHint);

export const deactivation: Ending = {
  submit: texts.deactivate,
  operation: 'DELETE /api/v1/users/{id}',
  work: deactivate,
  back: PAGE,
  about: async (visit) => {
    const { rest, operator } = visit;
    const query = { user_id: param(visit, 'id'), page_size: 1 };
    const [{ data: user, response }, orders, endpoints] = await Promise.all([
      answerOf(rest.GET('/api/v1/users/{id}', { params: pathId(visit) })),
      dataOf(operator.GET('/operator/v1/orders', { params: { query: { ...query, open: true } } })),
      dataOf(operator.GET('/operator/v1/webhook-endpoints', { params: { query } })),
    ]);
    const { email = '', name = '' } = user ?? {};
    return {
      subject: name,
      consequences: [
        texts.deactivateHint,
        [texts.openOrders, orders.pagination.total_items],
        [texts.endpointsEnd, endpoints.pagination.total_items],
        texts.deactivateBack,
      ],
      name: email,
      hidden: { if_match: response.headers.get('etag') ?? '' },
    };
  },
};

async function deactivate(visit: Visit): Promise<void> {
  const params = { ...pathId(visit), header: { 'If-Match': visit.form.text('if_match') } };
  await answerOf(visit.rest.DELETE('/api/v1/users/{id}', { params }));
  redirect(visit, '/console/deleted-users?done=deactivated');
}
