import { accessToken, ask, clientsFor, must } from './http.js';
import type { Caller } from './service.js';

export type MemberRole = 'owner' | 'shipper' | 'viewer';

export const MEMBER_PASSWORD = 'staple battery horse';
let invited = 0;

export const newMemberEmail = () => `person-${++invited}@members.test`;

/** Invites a person with a new e-mail address. */
export const invite = ({ rest }: Pick<Caller, 'rest'>, body: object = {}) =>
  rest.POST('/api/v1/members', { body: { name: 'Bia Ramos', email: newMemberEmail(), role: 'shipper', ...body } });

/** Chooses a password with the token of a link. */
export const choosePassword = (url: string, token: string, password = MEMBER_PASSWORD) =>
  ask(url, 'POST', '/auth/password-change', { body: { token, password } });

/** A member who has chosen a password and signed in. */
export async function newMember(url: string, owner: Pick<Caller, 'rest'>, role: MemberRole = 'shipper') {
  const { member, link } = must(await invite(owner, { role }));
  must204(await choosePassword(url, link.token));
  const login = { email: member.email, password: MEMBER_PASSWORD };
  const token = await accessToken(url, login);
  return { ...member, login, token, ...clientsFor(url, token) };
}

function must204({ status, text }: { status: number; text: string }): void {
  if (status !== 204) throw new Error(text);
}
