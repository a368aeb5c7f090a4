import { type MemberRole, memberRoles } from '../../base/actor.js';
import { chosen } from '../chosen.js';
import { Choice, Field } from '../design/forms.js';
import { SecretPage } from '../design/frame.js';
import { factList } from '../design/pieces.js';
import type { Column } from '../design/tables.js';
import type { Form } from '../forms.js';
import { memberTexts as texts, valueWords } from '../texts.js';
import type { RestSchemas } from '../visit.js';
import { Say, Time, Word } from '../written.js';
import { YesNo } from './words.js';

// Shows the people who sign in for an account, to its owners and to operators. They pass on links, as no e-mail is
// sent.

export type Member = RestSchemas['Member'];

/** The columns of a list of members. The account's own sign-in has no page below `list`. */
export const memberColumns = (list: string): readonly Column<Member>[] => [
  [texts.name, ({ id, user_id, name }) => (id === user_id ? name : <a href={`${list}/${id}`}>{name}</a>)],
  [texts.email, ({ email }) => email],
  [texts.role, ({ role }) => <Word of={valueWords.memberRoles} value={role} />],
  [texts.state, ({ state }) => <Word of={valueWords.memberStates} value={state} />],
  [texts.secondFactor, ({ second_factor: has }) => <YesNo is={has === true} />],
  [texts.created, ({ created_at: at }) => <Time at={at} />],
];

export const memberFacts = ({ email, role, state, second_factor: has }: Member) =>
  factList([
    [texts.email, email],
    [texts.role, <Word of={valueWords.memberRoles} value={role} />],
    [texts.state, <Word of={valueWords.memberStates} value={state} />],
    [texts.secondFactor, <YesNo is={has === true} />],
  ]);

const RoleChoice = ({ value }: { value: string }) => (
  <Choice name="role" label={texts.role} options={Object.entries(valueWords.memberRoles)} value={value} />
);

export const InvitationFields = () => [
  <Field name="name" label={texts.name} isRequired maxLength={255} />,
  <Field name="email" type="email" label={texts.email} isRequired maxLength={254} />,
  <RoleChoice value="shipper" />,
];

export const ChangeFields = ({ name, role }: Member) => [
  <Field name="name" label={texts.name} value={name} isRequired maxLength={255} />,
  <RoleChoice value={role} />,
  <p class="hint">
    <Say text={texts.roleHint} />
  </p>,
];

export const typedMember = (form: Form): { name: string; role: MemberRole } => ({
  name: form.text('name').trim(),
  role: chosen(form, 'role', memberRoles),
});

/** Shows a link. It is shown only this once. */
export const linkPage = (title: string, { url, expires_at: end }: RestSchemas['MemberLink'], back: string) => (
  <SecretPage title={title} text={texts.link} secret={url} back={back} link={texts.back}>
    {factList([[texts.linkEnds, <Time at={end} />]])}
  </SecretPage>
);
