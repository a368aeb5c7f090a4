import { getAccount } from '../accounts/account.js';
import { removeFactorOf } from '../accounts/member-factors.js';
import { makeMemberLink, toMemberLink } from '../accounts/member-links.js';
import {
  getMember,
  inviteMember,
  listMembers,
  lockMember,
  removeMember,
  toMember,
  updateMember,
} from '../accounts/members.js';
import { demandProof, type PersonProof } from '../accounts/sessions/second-factor.js';
import { type Actor, asSeenBy } from '../base/actor.js';
import { notFound } from '../base/errors.js';
import type { NoKey } from '../base/every-key.js';
import { listReply } from '../http/paging.js';
import type { OperatorDeps, SomeHandlers } from './deps.js';

// Lets an operator manage the people of a customer's account, with the rights of its owner. A link or a role needs a
// proof of the operator's identity, so that a thief of a token cannot create access.

export const membersHandlers = ({ db, clock, encryptionKeys, identity, publicUrl }: OperatorDeps) => {
  const demandAccount = async (actor: Actor, id: string) => {
    if (!(await getAccount(db, actor, id))) throw notFound('user');
  };
  const prove = (actor: Actor, proof: PersonProof) =>
    demandProof({ db, keys: encryptionKeys, clock }, actor.accountId, proof);
  const secretHeaders = { 'Cache-Control': 'no-store' };
  return {
    inviteUserMember: async ({ params: { id }, body, ctx: { actor } }) => {
      const { name, email, role, current_password: currentPassword, code, ...others } = body;
      others satisfies NoKey;
      await demandAccount(actor, id);
      await prove(actor, { currentPassword, code });
      return async (trx) => {
        const { link, ...member } = await inviteMember(trx, actor, { name, email, role, userId: id });
        const headers = { Location: `/operator/v1/users/${id}/members/${member.id}`, ...secretHeaders };
        return { status: 201, body: { member: toMember(member), link: toMemberLink(publicUrl, link) }, headers };
      };
    },

    listUserMembers: async ({ params: { id }, query, ctx: { actor } }) => {
      await demandAccount(actor, id);
      return listReply(query, (page) => listMembers(db, asSeenBy(actor, id), page), toMember);
    },

    getUserMember: async ({ params: { id, member_id: memberId }, ctx: { actor } }) => ({
      status: 200,
      body: toMember(await getMember(db, asSeenBy(actor, id), memberId)),
    }),

    updateUserMember: async ({ params: { id, member_id: memberId }, query, body, ctx }) => {
      const { name, role, current_password: currentPassword, code, ...others } = body;
      others satisfies NoKey;
      await prove(ctx.actor, { currentPassword, code });
      ctx.afterCommit(identity.refresh);
      return async (trx) => {
        const change = { id: memberId, name, role, keepsKeys: query.keep_api_keys };
        const member = await updateMember(trx, asSeenBy(ctx.actor, id), change);
        return { status: 200, body: toMember(member) };
      };
    },

    removeUserMember: async ({ params: { id, member_id: memberId }, query, ctx }) => {
      ctx.afterCommit(identity.refresh);
      return async (trx) => {
        await removeMember(trx, asSeenBy(ctx.actor, id), { id: memberId, keepsKeys: query.keep_api_keys });
        return { status: 204 };
      };
    },

    removeUserMemberSecondFactor: async ({ params: { id, member_id: memberId }, body, ctx }) => {
      const { current_password: currentPassword, code, ...others } = body;
      others satisfies NoKey;
      await prove(ctx.actor, { currentPassword, code });
      ctx.afterCommit(identity.refresh);
      return async (trx) => {
        await removeFactorOf(trx, ctx.actor, id, memberId);
        return { status: 204 };
      };
    },

    makeMemberPasswordLink: async ({ params: { id, member_id: memberId }, body, ctx: { actor } }) => {
      const { current_password: currentPassword, code, ...others } = body;
      others satisfies NoKey;
      await prove(actor, { currentPassword, code });
      return async (trx) => {
        const link = await makeMemberLink(trx, await lockMember(trx, asSeenBy(actor, id), memberId));
        return { status: 201, body: toMemberLink(publicUrl, link), headers: secretHeaders };
      };
    },
  } satisfies SomeHandlers;
};
