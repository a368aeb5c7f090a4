import { accountTaxId, createAccount, getAccount, listAccounts, type NewAccount, toUser } from '../accounts/account.js';
import { deleteAccount, eraseAnswersAbout, eraseUnlessHeld } from '../accounts/delete-account.js';
import { hashPassword } from '../accounts/passwords.js';
import { demandProof } from '../accounts/sessions/second-factor.js';
import { type AccountChange, prepareUpdate } from '../accounts/update-account.js';
import { notFound, unauthenticated } from '../base/errors.js';
import type { NoKey } from '../base/every-key.js';
import { etagHeader } from '../http/conditional.js';
import { listReply } from '../http/paging.js';
import { endEndpointsOf } from '../queue/erasure.js';
import type { RestDeps, Schemas, SomeHandlers } from './deps.js';

export const usersHandlers = ({ db, readList, identity, clock, encryptionKeys, eraseAfterDays }: RestDeps) => {
  const proofDeps = { db, keys: encryptionKeys, clock };
  return {
    createUser: async ({ body, ctx }) => {
      const { password, current_password: currentPassword, code, ...content } = body;
      if (content.role === 'operator') await demandProof(proofDeps, ctx.actor.accountId, { currentPassword, code });
      const profile = toProfile(content);
      const input = { ...profile, passwordHash: await hashPassword(password) };
      return async (trx) => {
        const account = await createAccount(trx, input);
        return {
          status: 201,
          body: toUser(account),
          headers: { ...etagHeader(account), Location: `/api/v1/users/${account.id}` },
        };
      };
    },

    listUsers: ({ query }) =>
      listReply(query, (page) => readList((replica) => listAccounts(replica, query, page)), toUser),

    getCurrentUser: async ({ ctx: { actor } }) => {
      const account = await getAccount(db, actor, actor.accountId);
      // The user was just deleted, but the token is still valid for a moment.
      if (!account) throw unauthenticated('token_invalid', 'The bearer token is not valid.');
      return { status: 200, body: toUser(account), headers: etagHeader(account) };
    },

    getUser: async ({ params, ctx }) => {
      const account = await getAccount(db, ctx.actor, params.id);
      if (!account) throw notFound('user');
      return { status: 200, body: toUser(account), headers: etagHeader(account) };
    },

    updateUser: async ({ params, body, ctx }) => {
      const write = await prepareUpdate(proofDeps, ctx.actor, params.id, toChange(body), ctx.ifMatch);
      ctx.afterCommit(identity.refresh);
      return async (trx) => {
        const account = await write(trx);
        return { status: 200, body: toUser(account), headers: etagHeader(account) };
      };
    },

    deleteUser: async ({ params, ctx }) => {
      ctx.afterCommit(identity.refresh);
      return async (trx) => {
        await deleteAccount(trx, ctx.actor, params.id, ctx.ifMatch);
        await endEndpointsOf(trx, params.id);
        // These answers may contain a signing key of an endpoint.
        await eraseAnswersAbout(trx, encryptionKeys, params.id);
        if (eraseAfterDays === 0) await eraseUnlessHeld(trx, params.id);
        return { status: 204 };
      };
    },
  } satisfies SomeHandlers;
};

function toProfile(
  body: Omit<Schemas['UserCreate'], 'password' | 'current_password' | 'code'>,
): Omit<NewAccount, 'passwordHash'> {
  const { email, name, phone, tax_id, support_contact: supportContact, role, ...others } = body;
  others satisfies NoKey;
  return { email, name, phone, taxId: accountTaxId(tax_id), supportContact, role };
}

function toChange(body: Schemas['UserUpdate']): AccountChange {
  const {
    email,
    name,
    phone,
    phone_confirmed,
    tax_id,
    support_contact,
    role,
    password,
    current_password,
    code,
    keep_operator_keys,
    keep_api_keys,
    ...others
  } = body;
  others satisfies NoKey;
  return {
    email,
    name,
    phone,
    phoneConfirmed: phone_confirmed,
    taxId: accountTaxId(tax_id),
    supportContact: support_contact,
    role,
    password,
    currentPassword: current_password,
    code,
    keepOperatorKeys: keep_operator_keys,
    keepApiKeys: keep_api_keys,
  };
}
