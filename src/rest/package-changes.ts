import { notFound } from '../base/errors.js';
import { formatMoney, parseMoney } from '../base/money.js';
import { etagHeader } from '../http/conditional.js';
import { listBody, pageOf } from '../http/paging.js';
import { type AddressChange, listAddressChanges } from '../orders/changes/address-history.js';
import { answerPackage } from '../orders/changes/answer-package.js';
import { changeAddress } from '../orders/changes/change-address.js';
import { returnPackage } from '../orders/returns.js';
import { getPackage } from '../packages/queries.js';
import { answerBody, getPackageAnswer, listPackageAnswers } from '../packages/tasks.js';
import type { RestDeps, RestHandlers, Schemas } from './deps.js';
import { extrasFor, toOrder, toPricing } from './orders.js';

type ChangeOperation =
  | 'answerActionRequired'
  | 'listAnswers'
  | 'getAnswer'
  | 'changeAddress'
  | 'listAddressChanges'
  | 'returnPackage';

export const packageChangesHandlers = (deps: RestDeps): RestHandlers<ChangeOperation> => {
  const { db, readList } = deps;

  return {
    answerActionRequired: async ({ params, body, ctx }) => {
      const write = await answerPackage(deps, ctx.actor, params.loggi_key, body);
      return async (trx) => {
        const answer = await write(trx);
        const headers = { Location: `/api/v1/packages/${answer.loggiKey}/answers/${answer.id}` };
        return { status: 201, body: answerBody(answer), headers };
      };
    },

    listAnswers: async ({ params, query, ctx }) => {
      if (!(await getPackage(db, ctx.actor, params.loggi_key))) throw notFound('package');
      const page = pageOf(query);
      const answers = await readList((replica) => listPackageAnswers(replica, ctx.actor, params.loggi_key, page));
      return { status: 200, body: listBody(answers, page, answerBody) };
    },

    getAnswer: async ({ params, ctx }) => {
      const answer = await getPackageAnswer(db, ctx.actor, params.loggi_key, params.id);
      if (!answer) throw notFound('answer');
      return { status: 200, body: answerBody(answer) };
    },

    changeAddress: async ({ params, body: { address, total }, ctx }) => {
      const input = { address, ...(total !== undefined && { totalCentavos: parseMoney(total) }) };
      const write = await changeAddress(deps, ctx.actor, params.loggi_key, input, ctx.ifMatch);
      return async (trx) => {
        const { changed, previousPricing, order } = await write(trx);
        const body = {
          changed,
          previous_pricing: toPricing(previousPricing),
          order: toOrder(order, extrasFor(deps, ctx.actor)),
        };
        return { status: 200, body, headers: etagHeader(order) };
      };
    },

    listAddressChanges: async ({ params, query, ctx }) => {
      if (!(await getPackage(db, ctx.actor, params.loggi_key))) throw notFound('package');
      const page = pageOf(query);
      const history = await readList((replica) => listAddressChanges(replica, ctx.actor, params.loggi_key, page));
      return { status: 200, body: listBody(history, page, toPastChange) };
    },

    returnPackage: async ({ params, body: { payment_method_id, external_id, instructions }, ctx }) => {
      const input = {
        ...(payment_method_id !== undefined && { paymentMethodId: payment_method_id }),
        ...(external_id !== undefined && { externalId: external_id }),
        ...(instructions !== undefined && { instructions }),
      };
      const write = await returnPackage(deps, ctx.actor, params.loggi_key, input, ctx.origin);
      return async (trx) => {
        const order = await write(trx);
        const headers = { ...etagHeader(order), Location: `/api/v1/orders/${order.id}` };
        return { status: 201, body: toOrder(order, extrasFor(deps, ctx.actor)), headers };
      };
    },
  };
};

const toPastChange = ({
  id,
  changedBy,
  from,
  to,
  repricing,
  createdAt,
}: AddressChange): Schemas['PastAddressChange'] => ({
  id,
  changed_by: changedBy,
  from,
  to,
  ...(repricing && {
    previous_pricing: toPricing(repricing.previous),
    new_total: formatMoney(repricing.newTotalCentavos),
  }),
  created_at: createdAt.toISOString(),
});
