import { PostForm } from '../../design/forms.js';
import { Page, SplitPage } from '../../design/frame.js';
import { Card, EndingLink, LinkLine, TextLink } from '../../design/pieces.js';
import { Addition, Listing, pageQuery } from '../../design/tables.js';
import { plainEndings } from '../../session/ending.js';
import {
  ChangeFields,
  InvitationFields,
  linkPage,
  memberColumns,
  memberFacts,
  typedMember,
} from '../../shared/members.js';
import { memberTexts as texts } from '../../texts.js';
import { calling, keyed, param, type Visit } from '../../visit.js';
import { ownName } from '../names.js';
import { CurrentPassword } from './list.js';

const LIST = 'GET /operator/v1/users/{id}/members';
const INVITATION = 'POST /operator/v1/users/{id}/members';
const MEMBER = 'GET /operator/v1/users/{id}/members/{member_id}';
const CHANGE = 'PUT /operator/v1/users/{id}/members/{member_id}';
const REMOVAL = 'DELETE /operator/v1/users/{id}/members/{member_id}';
const LINK = 'POST /operator/v1/users/{id}/members/{member_id}/invitation';
const FACTOR_REMOVAL = 'POST /operator/v1/users/{id}/members/{member_id}/second-factor/removal';
const MEMBER_PAGE = '/console/users/{id}/members/{member_id}';

const listAt = (visit: Visit): string => `/console/users/${param(visit, 'id')}/members`;
const proofOf = ({ form }: Visit) => ({ current_password: form.password('current_password') });

export async function showMembers(visit: Visit) {
  const list = await visit.ask(LIST, { query: pageQuery(visit) });
  const page = listAt(visit);
  return (
    <Page title={`${visit.say(texts.members)}: ${await ownName(visit)}`}>
      <LinkLine href={`/console/users/${param(visit, 'id')}`} text={texts.account} />
      <Listing caption={texts.members} columns={memberColumns(page)} list={list} />
      <Addition action={page} operation={INVITATION} submit={texts.invite}>
        <p>{visit.say(texts.hint)}</p>
        <InvitationFields />
        <CurrentPassword isRequired />
      </Addition>
    </Page>
  );
}

export async function inviteMember(visit: Visit) {
  const body = { ...typedMember(visit.form), email: visit.form.text('email').trim(), ...proofOf(visit) };
  const { member, link } = await visit.ask(INVITATION, { ...keyed(visit), body });
  return linkPage(member.name, link, listAt(visit));
}

export async function showMember(visit: Visit) {
  const member = await visit.ask(MEMBER);
  const page = `${listAt(visit)}/${member.id}`;
  const side = (
    <Card title={texts.changeMember}>
      <PostForm action={page} operation={CHANGE} submit={texts.change}>
        <ChangeFields {...member} />
        <CurrentPassword isRequired />
      </PostForm>
    </Card>
  );
  return (
    <SplitPage title={member.name} side={side}>
      <LinkLine href={listAt(visit)} text={texts.back} />
      {memberFacts(member)}
      <p class="send">
        <TextLink href={`${page}/invitation`} text={texts.makeLink} kind="button secondary" />
        {member.second_factor && <EndingLink href={`${page}/second-factor/removal`} text={texts.removeFactor} />}
        <EndingLink href={`${page}/removal`} text={texts.remove} />
      </p>
    </SplitPage>
  );
}

export const changeMember = calling(CHANGE, MEMBER_PAGE, 'saved', (visit) => ({
  ...typedMember(visit.form),
  ...proofOf(visit),
}));

export const showLink = async (visit: Visit) => (
  <Page title={`${visit.say(texts.makeLink)}: ${(await visit.ask(MEMBER)).name}`}>
    <PostForm action={visit.url.pathname} operation={LINK} submit={texts.makeLink}>
      <p>{visit.say(texts.linkHint)}</p>
      <CurrentPassword isRequired />
    </PostForm>
  </Page>
);

export async function makeLink(visit: Visit) {
  const { name } = await visit.ask(MEMBER);
  const link = await visit.ask(LINK, { ...keyed(visit), body: proofOf(visit) });
  return linkPage(name, link, listAt(visit));
}

/** Asks before it removes a second factor. For the account's own sign-in, the member id is the user id. */
export const showFactorRemoval = async (visit: Visit) => (
  <Page title={`${visit.say(texts.removeFactor)}: ${(await visit.ask(MEMBER)).name}`}>
    <PostForm action={visit.url.pathname} operation={FACTOR_REMOVAL} submit={texts.removeFactor} kind="danger">
      <p>{visit.say(texts.removeFactorHint)}</p>
      <CurrentPassword isRequired />
    </PostForm>
  </Page>
);

export const removeFactor = calling(FACTOR_REMOVAL, '/console/users/{id}/members', 'saved', proofOf);

const removal = plainEndings('/console/users/{id}/members', async ({ ask }) => (await ask(MEMBER)).name);
export const memberRemoval = removal(texts.remove, REMOVAL, texts.removeHint);
