import { confirmPhone, fiscalRuleOf, getAccount, setFiscalRule, toUser } from '../accounts/account.js';
import {
  addPaymentMethod,
  type PaymentMethod,
  paymentMethodBody,
  paymentMethods,
} from '../accounts/payment-methods.js';
import { removeSecondFactor } from '../accounts/sessions/second-factor.js';
import type { Actor } from '../base/actor.js';
import { forbidden, notFound } from '../base/errors.js';
import type { NoKey } from '../base/every-key.js';
import { pageOfAll } from '../base/page.js';
import type { FiscalRule } from '../base/tax.js';
import type { Db } from '../db/connect.js';
import { etagHeader } from '../http/conditional.js';
import { listReply } from '../http/paging.js';
import type { Bodies, OperatorDeps, SomeHandlers } from './deps.js';

export const accountsHandlers = ({ db, identity, fiscalRule }: OperatorDeps) =>
  ({
    addPaymentMethod: async ({ params, body: { kind, label, ...others } }) => {
      others satisfies NoKey;
      return async (trx) => {
        const method = await addPaymentMethod(trx, params.id, { kind, label });
        const headers = { Location: `/operator/v1/users/${method.accountId}/payment-methods/${method.id}` };
        return { status: 201, body: paymentMethodBody(method), headers };
      };
    },

    listPaymentMethods: ({ params, query, ctx }) =>
      listReply(query, async (page) => pageOfAll(await methodsOf(db, ctx.actor, params.id), page), paymentMethodBody),

    getPaymentMethod: async ({ params, ctx }) => {
      const methods = await methodsOf(db, ctx.actor, params.id);
      const method = methods.find(({ id }) => id === params.payment_method_id);
      if (!method) throw notFound('payment method');
      return { status: 200, body: paymentMethodBody(method) };
    },

    confirmPhone:
      async ({ params }) =>
      async (trx) => {
        const account = await confirmPhone(trx, params.id);
        return { status: 200, body: toUser(account), headers: etagHeader(account) };
      },

    getFiscalRule: async ({ params: { id } }) => ({
      status: 200,
      body: toFiscalRule(id, await fiscalRuleOf(db, id), fiscalRule),
    }),

    setFiscalRule: async ({ params: { id }, body: { rule, ...others } }) => {
      others satisfies NoKey;
      return async (trx) => {
        const own = await setFiscalRule(trx, id, rule === 'default' ? null : rule);
        return { status: 200, body: toFiscalRule(id, own, fiscalRule) };
      };
    },

    removeSecondFactor: async ({ params, ctx }) => {
      // So a thief of a token cannot reduce the operator's sign-in to the password alone.
      if (params.id === ctx.actor.accountId)
        throw forbidden('own_second_factor', 'Another operator removes your second factor.');
      if (!ctx.actor.withFactor)
        throw forbidden('second_factor_required', 'Only an operator who signed in with a second factor does this.');
      ctx.afterCommit(identity.refresh);
      return async (trx) => {
        await removeSecondFactor(trx, params.id);
        return { status: 204 };
      };
    },
  }) satisfies SomeHandlers;

/** The payment methods of an account. Throws NOT_FOUND if the account does not exist. */
async function methodsOf(db: Db, actor: Actor, accountId: string): Promise<PaymentMethod[]> {
  if (!(await getAccount(db, actor, accountId))) throw notFound('user');
  return paymentMethods(db, accountId);
}

const toFiscalRule = (id: string, own: FiscalRule | null, service: FiscalRule): Bodies['FiscalRule'] => ({
  user_id: id,
  rule: own ?? 'default',
  in_force: own ?? service,
});
