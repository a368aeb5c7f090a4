import { changeMemberPassword, makeMemberLink, toMemberLink, useMemberLink } from '../accounts/member-links.js';
import {
  getMember,
  inviteMember,
  listMembers,
  lockMember,
  removeMember,
  renameMember,
  toMember,
  updateMember,
} from '../accounts/members.js';
import { changeOwnAccount } from '../accounts/update-account.js';
import type { NoKey } from '../base/every-key.js';
import { transaction } from '../db/transaction.js';
import { listReply } from '../http/paging.js';
import type { RestDeps, SomeHandlers } from './deps.js';

export const membersHandlers = ({ db, readList, identity, publicUrl, clock, encryptionKeys }: RestDeps) => {
  const proofDeps = { db, clock, keys: encryptionKeys };
  const secretHeaders = { 'Cache-Control': 'no-store' };
  return {
    inviteMember: async ({ body: { name, email, role, user_id: userId, ...others }, ctx }) => {
      others satisfies NoKey;
      return async (trx) => {
        const { link, ...member } = await inviteMember(trx, ctx.actor, { name, email, role, userId });
        const headers = { Location: `/api/v1/members/${member.id}`, ...secretHeaders };
        return { status: 201, body: { member: toMember(member), link: toMemberLink(publicUrl, link) }, headers };
      };
    },

    listMembers: ({ query, ctx }) =>
      listReply(query, (page) => readList((replica) => listMembers(replica, ctx.actor, page)), toMember),

    getMember: async ({ params, ctx }) => ({ status: 200, body: toMember(await getMember(db, ctx.actor, params.id)) }),

    updateMember: async ({ params: { id }, body: { name, role, ...others }, ctx }) => {
      others satisfies NoKey;
      const member = await transaction(db, (trx) => updateMember(trx, ctx.actor, { id, name, role }));
      await identity.refresh();
      return { status: 200, body: toMember(member) };
    },

    removeMember: async ({ params: { id }, query, ctx }) => {
      await transaction(db, (trx) => removeMember(trx, ctx.actor, { id, keepsKeys: query.keep_api_keys }));
      await identity.refresh();
      return { status: 204 };
    },

    makePasswordLink: async ({ params: { id }, ctx }) => {
      return async (trx) => {
        const link = await makeMemberLink(trx, await lockMember(trx, ctx.actor, id));
        return { status: 201, body: toMemberLink(publicUrl, link), headers: secretHeaders };
      };
    },

    changeOwnPassword: async ({ body: { current_password: currentPassword, password, ...others }, ctx: { actor } }) => {
      others satisfies NoKey;
      if (actor.member) await changeMemberPassword(db, actor.member.id, { currentPassword, password });
      else await changeOwnAccount(proofDeps, actor, { currentPassword, password });
      await identity.refresh();
      return { status: 204 };
    },

    changeOwnName: async ({ body: { name, ...others }, ctx: { actor } }) => {
      others satisfies NoKey;
      if (actor.member) await renameMember(db, actor.member.id, name);
      else await changeOwnAccount(proofDeps, actor, { name });
      return { status: 200, body: toMember(await getMember(db, actor, 'me')) };
    },

    useMemberLink: async ({ body: { token, password, ...others } }) => {
      others satisfies NoKey;
      await useMemberLink(db, token, password);
      await identity.refresh();
      return { status: 204 };
    },
  } satisfies SomeHandlers;
};
