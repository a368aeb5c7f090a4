import {
  makeMemberLink,
  prepareLinkedPassword,
  prepareMemberPassword,
  toMemberLink,
} from '../accounts/member-links.js';
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
import { prepareOwnChange } from '../accounts/update-account.js';
import type { NoKey } from '../base/every-key.js';
import type { Db } from '../db/connect.js';
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

    updateMember: async ({ params: { id }, query, body: { name, role, ...others }, ctx }) => {
      others satisfies NoKey;
      ctx.afterCommit(identity.refresh);
      return async (trx) => {
        const member = await updateMember(trx, ctx.actor, { id, name, role, keepsKeys: query.keep_api_keys });
        return { status: 200, body: toMember(member) };
      };
    },

    removeMember: async ({ params: { id }, query, ctx }) => {
      ctx.afterCommit(identity.refresh);
      return async (trx) => {
        await removeMember(trx, ctx.actor, { id, keepsKeys: query.keep_api_keys });
        return { status: 204 };
      };
    },

    makePasswordLink: async ({ params: { id }, ctx }) => {
      return async (trx) => {
        const link = await makeMemberLink(trx, await lockMember(trx, ctx.actor, id));
        return { status: 201, body: toMemberLink(publicUrl, link), headers: secretHeaders };
      };
    },

    changeOwnPassword: async ({ body: { current_password: currentPassword, password, ...others }, ctx }) => {
      others satisfies NoKey;
      const { actor } = ctx;
      const passwords = { currentPassword, password };
      const write = await (actor.member
        ? prepareMemberPassword(db, actor.member.id, passwords)
        : prepareOwnChange(proofDeps, actor, passwords));
      ctx.afterCommit(identity.refresh);
      return async (trx) => {
        await write(trx);
        return { status: 204 };
      };
    },

    changeOwnName: async ({ body: { name, ...others }, ctx: { actor } }) => {
      others satisfies NoKey;
      const { member } = actor;
      const write = member
        ? (trx: Db) => renameMember(trx, member.id, name)
        : await prepareOwnChange(proofDeps, actor, { name });
      return async (trx) => {
        await write(trx);
        return { status: 200, body: toMember(await getMember(trx, actor, 'me')) };
      };
    },

    useMemberLink: async ({ body: { token, password, ...others }, ctx }) => {
      others satisfies NoKey;
      const write = await prepareLinkedPassword(db, token, password);
      ctx.afterCommit(identity.refresh);
      return async (trx) => ({ status: 204, actor: await write(trx) });
    },
  } satisfies SomeHandlers;
};
