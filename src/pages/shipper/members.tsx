import { memberRoles } from '../../base/actor.js';
import { chosen } from '../chosen.js';
import { Choice, Field, PostForm } from '../design/forms.js';
import { Page, SecretPage } from '../design/frame.js';
import { factList, LinkLine } from '../design/pieces.js';
import { Addition, type Column, ListPage, pageQuery } from '../design/tables.js';
import { plainEndings } from '../session/ending.js';
import { NewPassword } from '../session/password-link.js';
import { memberTexts as texts, valueWords } from '../texts.js';
import { calling, keyed, type RestSchemas, type Visit } from '../visit.js';
import { Time, Word } from '../written.js';

// The people who sign in for the account. Owners invite them and pass the links on: no mail is sent.

const LIST = '/envios/members';
const INVITATION = 'POST /api/v1/members';
const CHANGE = 'PUT /api/v1/members/{id}';
const LINK = 'POST /api/v1/members/{id}/invitation';
const OWN_PASSWORD = 'PUT /api/v1/members/me/password';

type Member = RestSchemas['Member'];

const roles = Object.entries(valueWords.memberRoles);

/** True of the account's own sign-in, and of members who may change others. */
const isOwner = ({ session: { member } }: Visit): boolean => (member?.role ?? 'owner') === 'owner';

export async function showMembers(visit: Visit) {
  const list = await visit.ask('GET /api/v1/members', { query: pageQuery(visit) });
  return (
    <ListPage title={texts.members} above={<p>{visit.say(texts.hint)}</p>} columns={columns} list={list}>
      {isOwner(visit) && (
        <Addition action={LIST} operation={INVITATION} submit={texts.invite}>
          <Field name="name" label={texts.name} isRequired maxLength={255} />
          <Field name="email" type="email" label={texts.email} isRequired maxLength={254} />
          <Choice name="role" label={texts.role} options={roles} value="shipper" />
        </Addition>
      )}
    </ListPage>
  );
}

const columns: readonly Column<Member>[] = [
  [texts.name, ({ id, user_id, name }) => (id === user_id ? name : <a href={`${LIST}/${id}`}>{name}</a>)],
  [texts.email, ({ email }) => email],
  [texts.role, ({ role }) => <Word of={valueWords.memberRoles} value={role} />],
  [texts.state, ({ state }) => <Word of={valueWords.memberStates} value={state} />],
  [texts.created, ({ created_at: at }) => <Time at={at} />],
];

const roleOf = ({ form }: Visit) => chosen(form, 'role', memberRoles);

export async function inviteMember(visit: Visit) {
  const { text } = visit.form;
  const body = { name: text('name').trim(), email: text('email').trim(), role: roleOf(visit) };
  const { member, link } = await visit.ask(INVITATION, { ...keyed(visit), body });
  return linkPage(member.name, link);
}

const linkPage = (title: string, { url, expires_at: end }: RestSchemas['MemberLink']) => (
  <SecretPage title={title} text={texts.link} secret={url} back={LIST} link={texts.back}>
    {factList([[texts.linkEnds, <Time at={end} />]])}
  </SecretPage>
);

export async function showMember(visit: Visit) {
  const member = await visit.ask('GET /api/v1/members/{id}');
  const path = `${LIST}/${member.id}`;
  const change = (
    <>
      <PostForm action={path} operation={CHANGE} submit={texts.change}>
        <Field name="name" label={texts.name} value={member.name} isRequired maxLength={255} />
        <Choice name="role" label={texts.role} options={roles} value={member.role} />
      </PostForm>
      <PostForm action={`${path}/invitation`} operation={LINK} submit={texts.makeLink} kind="secondary">
        <p>{visit.say(texts.linkHint)}</p>
      </PostForm>
      <LinkLine href={`${path}/removal`} text={texts.remove} />
    </>
  );
  return (
    <Page title={member.name}>
      {factList([
        [texts.email, member.email],
        [texts.role, <Word of={valueWords.memberRoles} value={member.role} />],
        [texts.state, <Word of={valueWords.memberStates} value={member.state} />],
      ])}
      {isOwner(visit) && change}
    </Page>
  );
}

export const changeMember = calling(CHANGE, `${LIST}/{id}`, 'changed', (visit) => ({
  name: visit.form.text('name').trim(),
  role: roleOf(visit),
}));

export async function makeLink(visit: Visit) {
  const [member, link] = [await visit.ask('GET /api/v1/members/{id}'), await visit.ask(LINK, keyed(visit))];
  return linkPage(member.name, link);
}

const removal = plainEndings(LIST, async ({ ask }) => (await ask('GET /api/v1/members/{id}')).name);
export const memberRemoval = removal(texts.remove, 'DELETE /api/v1/members/{id}', texts.removeHint);

export const showOwnPassword = ({ say }: Visit) => (
  <Page title={texts.ownPassword}>
    <PostForm action="/envios/own-password" operation={OWN_PASSWORD} submit={texts.setPassword}>
      <p>{say(texts.ownPasswordHint)}</p>
      <Field
        name="current_password"
        type="password"
        label={texts.currentPassword}
        isRequired
        autocomplete="current-password"
      />
      <NewPassword />
    </PostForm>
  </Page>
);

/** The change ends this session, too. */
export async function changeOwnPassword(visit: Visit) {
  const { text } = visit.form;
  const body = { current_password: text('current_password'), password: text('password') };
  await visit.ask(OWN_PASSWORD, { body });
  return '/envios/sign-in?changed';
}
