import {
  type ErasureState,
  eraseAccount,
  eraseAnswersAbout,
  holdAccount,
  listUnerased,
  releaseAccount,
  type UnerasedAccount,
} from '../accounts/delete-account.js';
import { type Erasure, getErasure, listErasures, requestRecipientErasure } from '../accounts/erasures.js';
import { invalid } from '../base/errors.js';
import { listBody, pageOf } from '../http/paging.js';
import { countErasable } from '../orders/erase-recipients.js';
import { endEndpointsOf } from '../outbox/erasure.js';
import type { OperatorDeps, OperatorHandlers, Schemas } from './deps.js';

type ErasureOperation =
  | 'holdUser'
  | 'releaseUser'
  | 'eraseUser'
  | 'listDeletedUsers'
  | 'eraseRecipients'
  | 'listErasures'
  | 'getErasure';

export const erasureHandlers = ({
  db,
  readList,
  clock,
  endpoints: { encryptionKeys },
}: OperatorDeps): OperatorHandlers<ErasureOperation> => ({
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

  listDeletedUsers: async ({ query }) => {
    const page = pageOf(query);
    return {
      status: 200,
      body: listBody(await readList((db) => listUnerased(db, query.email, page)), page, toDeletedUser),
    };
  },

  eraseRecipients: async ({ body: { before: text, dry_run = true } }) => {
    const before = new Date(text);
    if (before > clock()) throw invalid([{ field: 'before', message: 'must not be in the future' }]);
    const counts = { dry_run, before: before.toISOString(), ...(await countErasable(db, before)) };
    return async (trx) => {
      if (dry_run) return { status: 200, body: counts };
      return { status: 200, body: { ...counts, erasure: toErasure(await requestRecipientErasure(trx, before)) } };
    };
  },

  listErasures: async ({ query }) => {
    const page = pageOf(query);
    return { status: 200, body: listBody(await readList((db) => listErasures(db, page)), page, toErasure) };
  },

  getErasure: async ({ params }) => ({ status: 200, body: toErasure(await getErasure(db, params.id)) }),
});

const toUserErasure = ({ id, deletedAt, heldAt, erasedAt }: ErasureState): Schemas['UserErasure'] => ({
  user_id: id,
  ...(deletedAt && { deleted_at: deletedAt.toISOString() }),
  ...(heldAt && { held_at: heldAt.toISOString() }),
  ...(erasedAt && { erased_at: erasedAt.toISOString() }),
});

const toDeletedUser = ({ id, email, name, deletedAt, heldAt }: UnerasedAccount): Schemas['DeletedUser'] => ({
  id,
  email,
  name,
  deleted_at: deletedAt.toISOString(),
  ...(heldAt && { held_at: heldAt.toISOString() }),
});

const toErasure = (erasure: Erasure): Schemas['Erasure'] => ({
  id: erasure.id,
  kind: erasure.kind,
  ...(erasure.accountId !== null && { user_id: erasure.accountId }),
  ...(erasure.before && { before: erasure.before.toISOString(), orders: erasure.orders }),
  requested_at: erasure.requestedAt.toISOString(),
  ...(erasure.finishedAt && { finished_at: erasure.finishedAt.toISOString() }),
});
