import { toUser } from '../accounts/account.js';
import {
  type ErasureState,
  eraseAccount,
  eraseAnswersAbout,
  holdAccount,
  listUnerased,
  prepareReactivation,
  releaseAccount,
  type UnerasedAccount,
} from '../accounts/delete-account.js';
import { type Erasure, getErasure, listErasures, requestRecipientErasure } from '../accounts/erasures.js';
import { demandProof } from '../accounts/sessions/second-factor.js';
import { invalidField } from '../base/errors.js';
import type { NoKey } from '../base/every-key.js';
import { etagHeader } from '../http/conditional.js';
import { listReply } from '../http/paging.js';
import { countErasable } from '../orders/erase-recipients.js';
import { endEndpointsOf } from '../queue/erasure.js';
import type { Bodies, OperatorDeps, SomeHandlers } from './deps.js';

export const erasureHandlers = ({ db, readList, clock, identity, encryptionKeys, lostAfterDays }: OperatorDeps) =>
  ({
    holdUser:
      async ({ params }) =>
      async (trx) => ({ status: 200, body: toUserErasure(await holdAccount(trx, params.id)) }),

    releaseUser:
      async ({ params }) =>
      async (trx) => ({ status: 200, body: toUserErasure(await releaseAccount(trx, params.id)) }),

    eraseUser:
      async ({ params }) =>
      async (trx) => {
        const account = await eraseAccount(trx, params.id);
        await endEndpointsOf(trx, params.id);
        await eraseAnswersAbout(trx, encryptionKeys, params.id);
        return { status: 202, body: toUserErasure(account) };
      },

    reactivateUser: async ({ params, body, ctx }) => {
      const { password, current_password: currentPassword, code, ...others } = body;
      others satisfies NoKey;
      const proof = { currentPassword, code };
      await demandProof({ db, keys: encryptionKeys, clock }, ctx.actor.accountId, proof);
      const write = await prepareReactivation(db, params.id, password);
      ctx.afterCommit(identity.refresh);
      return async (trx) => {
        const account = await write(trx);
        return { status: 200, body: toUser(account), headers: etagHeader(account) };
      };
    },

    listDeletedUsers: ({ query }) =>
      listReply(query, (page) => readList((replica) => listUnerased(replica, query.email, page)), toDeletedUser),

    eraseRecipients: async ({ body: { before: text, dry_run = true, current_password, code, ...others }, ctx }) => {
      others satisfies NoKey;
      const proof = { currentPassword: current_password, code };
      if (current_password !== undefined || code !== undefined)
        await demandProof({ db, keys: encryptionKeys, clock }, ctx.actor.accountId, proof);
      const before = new Date(text);
      if (before > clock()) throw invalidField('before', 'too_late', 'must not be in the future');
      const { orders, pickups, packages, more } = await countErasable(db, { before, lostAfterDays });
      const counts = { dry_run, before: before.toISOString(), orders, pickups, packages, more };
      return async (trx) => {
        const erasure = dry_run ? undefined : toErasure(await requestRecipientErasure(trx, before));
        return { status: 200, body: { ...counts, erasure } };
      };
    },

    listErasures: ({ query }) =>
      listReply(query, (page) => readList((replica) => listErasures(replica, page)), toErasure),

    getErasure: async ({ params }) => ({ status: 200, body: toErasure(await getErasure(db, params.id)) }),
  }) satisfies SomeHandlers;

const toUserErasure = ({ id, deletedAt, heldAt, erasedAt }: ErasureState): Bodies['UserErasure'] => ({
  user_id: id,
  deleted_at: deletedAt?.toISOString(),
  held_at: heldAt?.toISOString(),
  erased_at: erasedAt?.toISOString(),
});

const toDeletedUser = ({ id, email, name, deletedAt, heldAt }: UnerasedAccount): Bodies['DeletedUser'] => ({
  id,
  email,
  name,
  deleted_at: deletedAt.toISOString(),
  held_at: heldAt?.toISOString(),
});

const toErasure = (erasure: Erasure): Bodies['Erasure'] => ({
  id: erasure.id,
  kind: erasure.kind,
  user_id: erasure.accountId ?? undefined,
  before: erasure.before?.toISOString(),
  requested_at: erasure.requestedAt.toISOString(),
  orders: erasure.before ? erasure.orders : undefined,
  finished_at: erasure.finishedAt?.toISOString(),
});
