import { Field, PostForm } from '../design/forms.js';
import { Page, SplitPage } from '../design/frame.js';
import { Card, factList, LinkLine } from '../design/pieces.js';
import { type Column, TableSection } from '../design/tables.js';
import { memberTexts, shipperTexts as texts, valueWords } from '../texts.js';
import { calling, type RestSchemas, useVisit, type Visit } from '../visit.js';
import { Word } from '../written.js';
import { isOwner } from './members.js';

// Shows the account of the signed-in person. Owners can change it; each member can change their own name. Only the
// account's own sign-in can change its e-mail address and phone, with its password.

const PAGE = '/envios/account';
const OWN_NAME_PAGE = '/envios/own-name';
const CHANGE = 'PUT /api/v1/users/{id}';
const OWN_NAME = 'PUT /api/v1/members/me/name';

type User = RestSchemas['User'];

export async function showAccount(visit: Visit) {
  const { ask, session } = visit;
  const [{ data: user, version }, methods, person] = await Promise.all([
    visit.askVersion('GET /api/v1/users/me'),
    ask('GET /api/v1/payment-methods'),
    session.member && ask('GET /api/v1/members/{id}', { path: { id: 'me' } }),
  ]);
  const side = [
    person && <PersonCard person={person} />,
    isOwner(visit) && <ChangeCard isMember={person !== undefined} {...{ user, version }} />,
  ];
  return (
    <SplitPage title={texts.account} side={side}>
      {factList([
        [texts.name, user.name],
        [texts.email, user.email],
        [texts.phone, user.phone],
        [texts.tax_id, user.tax_id],
        [texts.support_contact, user.support_contact],
      ])}
      <LinkLine href="/envios/own-password" text={memberTexts.ownPassword} />
      <LinkLine href="/envios/second-factor" text={memberTexts.secondFactor} />
      <TableSection caption={texts.payment} columns={paymentColumns} rows={methods.data} />
    </SplitPage>
  );
}

const paymentColumns: readonly Column<RestSchemas['PaymentMethod']>[] = [
  [texts.name, ({ label }) => label],
  [texts.kind, ({ kind }) => <Word of={valueWords.paymentKinds} value={kind} />],
];

const PersonCard = ({ person }: { person: RestSchemas['Member'] }) => (
  <Card title={texts.you}>
    {factList([
      [texts.name, person.name],
      [texts.email, person.email],
      [texts.role, <Word of={valueWords.memberRoles} value={person.role} />],
    ])}
    <LinkLine href={OWN_NAME_PAGE} text={texts.changeName} />
  </Card>
);

/** The form for the account. Owners who are members cannot change the e-mail address and the phone. */
function ChangeCard({ user, version, isMember }: { user: User; version: string; isMember: boolean }) {
  const { say } = useVisit();
  const { email, phone } = user;
  return (
    <Card title={texts.changeAccount}>
      <PostForm
        action={PAGE}
        operation={CHANGE}
        submit={texts.save}
        hidden={{ version, ...(isMember && { email, phone }) }}
      >
        <Field name="name" label={texts.shopName} value={user.name} isRequired maxLength={255} />
        <Field name="tax_id" label={texts.tax_id} value={user.tax_id} maxLength={18} />
        <Field {...contactField} value={user.support_contact} />
        {isMember ? (
          <p class="hint">{say(texts.ofOwnSignIn)}</p>
        ) : (
          [
            <Field name="email" type="email" label={texts.email} value={email} isRequired maxLength={254} />,
            <Field {...phoneField} value={phone} />,
            <Field {...passwordField} />,
          ]
        )}
      </PostForm>
    </Card>
  );
}

const contactField = {
  name: 'support_contact',
  label: texts.support_contact,
  hint: texts.contactHint,
  maxLength: 255,
} as const;

const phoneField = {
  name: 'phone',
  type: 'tel',
  label: texts.phone,
  hint: texts.phoneHint,
  isRequired: true,
  maxLength: 26,
} as const;

const passwordField = {
  name: 'current_password',
  type: 'password',
  label: texts.current_password,
  hint: texts.proofHint,
  autocomplete: 'current-password',
} as const;

export async function changeAccount(visit: Visit): Promise<string> {
  const { text, password } = visit.form;
  const body = {
    name: text('name').trim(),
    email: text('email').trim(),
    phone: text('phone').trim(),
    tax_id: text('tax_id').trim(),
    support_contact: text('support_contact').trim(),
    current_password: password('current_password'),
  };
  const headers = { 'if-match': text('version') };
  await visit.ask(CHANGE, { path: { id: visit.session.accountId }, headers, body });
  return `${PAGE}?done=saved`;
}

/** Lets a member change their own name. It is a separate page, because the account's form also has a field `name`. */
export const showOwnName = async ({ ask }: Visit) => {
  const { name } = await ask('GET /api/v1/members/{id}', { path: { id: 'me' } });
  return (
    <Page title={texts.changeName}>
      <PostForm action={OWN_NAME_PAGE} operation={OWN_NAME} submit={texts.save}>
        <Field name="name" label={texts.name} value={name} isRequired maxLength={255} autocomplete="name" />
      </PostForm>
    </Page>
  );
};

export const changeOwnName = calling(OWN_NAME, PAGE, 'saved', ({ form }) => ({ name: form.text('name').trim() }));
