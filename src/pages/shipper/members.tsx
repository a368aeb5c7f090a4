import { Field, PostForm } from '../design/forms.js';
import { Page } from '../design/frame.js';
import { LinkLine } from '../design/pieces.js';
import { Addition, ListPage, pageQuery } from '../design/tables.js';
import { plainEndings } from '../session/ending.js';
import { NewPassword } from '../session/password-link.js';
import {
  ChangeFields,
  InvitationFields,
  linkPage,
  memberColumns,
  memberFacts,
  typedMember,
} from '../shared/members.js';
import { memberTexts as texts } from '../texts.js';
import { calling, keyed, type Visit } from '../visit.js';
import { FactorRule } from './second-factors.js';

const LIST = '/envios/members';
const INVITATION = 'POST /api/v1/members';
const CHANGE = 'PUT /api/v1/members/{id}';
const LINK = 'POST /api/v1/members/{id}/invitation';
const OWN_PASSWORD = 'PUT /api/v1/members/me/password';

/** True for the account's own sign-in, and for members with the role of owner. */
export const isOwner = ({ session: { member } }: Visit): boolean => (member?.role ?? 'owner') === 'owner';

export async function showMembers(visit: Visit) {
  const [list, { required: isRequired }] = await Promise.all([
    visit.ask('GET /api/v1/members', { query: pageQuery(visit) }),
    visit.ask('GET /api/v1/second-factor-rule'),
  ]);
  const above = [<p>{visit.say(texts.hint)}</p>, isOwner(visit) && <FactorRule isRequired={isRequired} />];
  return (
    <ListPage title={texts.members} columns={memberColumns(LIST)} {...{ above, list }}>
      {isOwner(visit) && (
        <Addition action={LIST} operation={INVITATION} submit={texts.invite}>
          <InvitationFields />
        </Addition>
      )}
    </ListPage>
  );
}

export async function inviteMember(visit: Visit) {
  const body = { ...typedMember(visit.form), email: visit.form.text('email').trim() };
  const { member, link } = await visit.ask(INVITATION, { ...keyed(visit), body });
  return linkPage(member.name, link, LIST);
}

export async function showMember(visit: Visit) {
  const member = await visit.ask('GET /api/v1/members/{id}');
  const path = `${LIST}/${member.id}`;
  const change = (
    <>
      <PostForm action={path} operation={CHANGE} submit={texts.change}>
        <ChangeFields {...member} />
      </PostForm>
      <PostForm action={`${path}/invitation`} operation={LINK} submit={texts.makeLink} kind="secondary">
        <p>{visit.say(texts.linkHint)}</p>
      </PostForm>
      {member.second_factor && <LinkLine href={`${path}/second-factor/removal`} text={texts.removeFactor} />}
      <LinkLine href={`${path}/removal`} text={texts.remove} />
    </>
  );
  return (
    <Page title={member.name}>
      {memberFacts(member)}
      {isOwner(visit) && change}
    </Page>
  );
}

export const changeMember = calling(CHANGE, `${LIST}/{id}`, 'saved', ({ form }) => typedMember(form));

export async function makeLink(visit: Visit) {
  const [member, link] = [await visit.ask('GET /api/v1/members/{id}'), await visit.ask(LINK, keyed(visit))];
  return linkPage(member.name, link, LIST);
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

/** Changes the person's password. This ends the session, too. */
export async function changeOwnPassword(visit: Visit) {
  const { text } = visit.form;
  const body = { current_password: text('current_password'), password: text('password') };
  await visit.ask(OWN_PASSWORD, { body });
  return '/envios/sign-in?changed';
}
