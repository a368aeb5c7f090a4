import type { Actor } from '../base/actor.js';
import { toTime } from '../base/clock.js';
import { notFound } from '../base/errors.js';
import { type NoKey, omitUndefined } from '../base/every-key.js';
import { formatMoney, parseMoney } from '../base/money.js';
import { etagHeader } from '../http/conditional.js';
import { listReply } from '../http/paging.js';
import { type AddressChange, listAddressChanges } from '../orders/changes/address-history.js';
import { type AnswerInput, answerPackage } from '../orders/changes/answer-package.js';
import { cancelPackage } from '../orders/changes/cancel-package.js';
import { type AddressChangeInput, changeAddress } from '../orders/changes/change-address.js';
import type { ChangedOrder } from '../orders/changes/order-after.js';
import { type RequestInput, requestForPackage } from '../orders/changes/request-package.js';
import { type ReturnInput, returnPackage } from '../orders/returns.js';
import { getPackage } from '../packages/queries.js';
import { requestBody } from '../packages/requests.js';
import { answerBody, getTaskAbout, listTasksAbout, type PackageAnswer } from '../packages/tasks.js';
import type { Bodies, RestDeps, Schemas, SomeHandlers } from './deps.js';
import { toAddressInput, toCentavos } from './order-input.js';
import { extrasFor, toAddress, toOrder, toPricing } from './orders.js';

type PackageKey = Readonly<Record<'loggi_key', string>>;
const answersAbout = ({ loggi_key: loggiKey }: PackageKey) => ({ written: 'answers', loggiKey }) as const;
const requestsAbout = ({ loggi_key: loggiKey }: PackageKey) => ({ written: 'requests', loggiKey }) as const;

export const packageChangesHandlers = (deps: RestDeps) => {
  const { db, readList } = deps;
  return {
    ...repricingHandlers(deps),

    answerActionRequired: async ({ params, body, ctx }) => {
      const write = await answerPackage(deps, ctx.actor, params.loggi_key, toAnswer(body));
      return async (trx) => {
        const answer = await write(trx);
        const headers = { Location: `/api/v1/packages/${answer.loggi_key}/answers/${answer.id}` };
        return { status: 201, body: answerBody(answer), headers };
      };
    },

    listAnswers: async ({ params, query, ctx }) => {
      if (!(await getPackage(db, ctx.actor, params.loggi_key))) throw notFound('package');
      return listReply(
        query,
        (page) => readList((replica) => listTasksAbout(replica, ctx.actor, answersAbout(params), page)),
        answerBody,
      );
    },

    getAnswer: async ({ params, ctx }) => {
      const answer = await getTaskAbout(db, ctx.actor, answersAbout(params), params.id);
      if (!answer) throw notFound('answer');
      return { status: 200, body: answerBody(answer) };
    },

    createPackageRequest: async ({ params, body, ctx }) => {
      const write = await requestForPackage(deps, ctx.actor, params.loggi_key, toRequest(body));
      return async (trx) => {
        const request = await write(trx);
        const headers = { Location: `/api/v1/packages/${request.loggi_key}/requests/${request.id}` };
        return { status: 201, body: toShownRequest(request), headers };
      };
    },

    listPackageRequests: async ({ params, query, ctx }) => {
      if (!(await getPackage(db, ctx.actor, params.loggi_key))) throw notFound('package');
      return listReply(
        query,
        (page) => readList((replica) => listTasksAbout(replica, ctx.actor, requestsAbout(params), page)),
        toShownRequest,
      );
    },

    getPackageRequest: async ({ params, ctx }) => {
      const request = await getTaskAbout(db, ctx.actor, requestsAbout(params), params.id);
      if (!request) throw notFound('request');
      return { status: 200, body: toShownRequest(request) };
    },

    listAddressChanges: async ({ params, query, ctx }) => {
      if (!(await getPackage(db, ctx.actor, params.loggi_key))) throw notFound('package');
      return listReply(
        query,
        (page) => readList((replica) => listAddressChanges(replica, ctx.actor, params.loggi_key, page)),
        toPastChange,
      );
    },

    returnPackage: async ({ params, body, ctx }) => {
      const write = await returnPackage(deps, ctx.actor, params.loggi_key, toReturn(body), ctx.origin);
      return async (trx) => {
        const order = await write(trx);
        const headers = { ...etagHeader(order), Location: `/api/v1/orders/${order.id}` };
        return { status: 201, body: toOrder(order, extrasFor(deps, ctx.actor)), headers };
      };
    },
  } satisfies SomeHandlers;
};

/** Handles the changes that change the price of an order. */
const repricingHandlers = (deps: RestDeps) =>
  ({
    changeAddress: async ({ params, body, ctx }) => {
      const write = await changeAddress(deps, ctx.actor, params.loggi_key, toAddressChange(body), ctx.ifMatch);
      return async (trx) => {
        const { changed, ...after } = await write(trx);
        return { status: 200, body: { changed, ...toAfter(deps, ctx.actor, after) }, headers: etagHeader(after.order) };
      };
    },

    cancelPackage: async ({ params, body: { preview, ...others }, ctx }) => {
      others satisfies NoKey;
      const options = { preview, ifMatch: ctx.ifMatch, traceparent: ctx.origin.traceparent };
      const write = await cancelPackage(deps, ctx.actor, params.loggi_key, options);
      return async (trx) => {
        const { changed: cancelled, ...after } = await write(trx);
        return {
          status: 200,
          body: { cancelled, ...toAfter(deps, ctx.actor, after) },
          headers: etagHeader(after.order),
        };
      };
    },
  }) satisfies SomeHandlers;

const toAfter = (deps: RestDeps, actor: Actor, { previousPricing, order }: Omit<ChangedOrder, 'changed'>) => ({
  previous_pricing: toPricing(previousPricing),
  order: toOrder(order, extrasFor(deps, actor)),
});

function toAnswer({ phone, address, instructions, note, ...others }: Schemas['AnswerInput']): AnswerInput {
  others satisfies NoKey;
  return omitUndefined<AnswerInput>({ phone, address: address && toAddressInput(address), instructions, note });
}

function toRequest({
  kind,
  on,
  until,
  recipient,
  problem,
  note,
  ...others
}: Schemas['PackageRequestInput']): RequestInput {
  others satisfies NoKey;
  return omitUndefined<RequestInput>({
    kind,
    on,
    until,
    recipient: recipient && toCorrected(recipient),
    problem,
    note,
  });
}

function toCorrected({ name, phone, ...others }: Schemas['CorrectedRecipientInput']) {
  others satisfies NoKey;
  return omitUndefined<NonNullable<RequestInput['recipient']>>({ name, phone });
}

function toShownRequest(request: PackageAnswer): Bodies['PackageRequest'] {
  const { kind, ...shown } = requestBody(request);
  if (kind === 'answer') throw new Error('an answer is shown as a request');
  return { kind, ...shown };
}

function toAddressChange({ address, total, ...others }: Schemas['AddressChangeInput']): AddressChangeInput {
  others satisfies NoKey;
  const totalCentavos = total === undefined ? undefined : parseMoney(total);
  return omitUndefined<AddressChangeInput>({ address: toAddressInput(address), totalCentavos });
}

function toReturn(body: Schemas['ReturnInput']): ReturnInput {
  const { payment_method_id, external_id, instructions, ready_at, expected_total, ...others } = body;
  others satisfies NoKey;
  const readyAt = toTime(ready_at);
  return omitUndefined<ReturnInput>({
    paymentMethodId: payment_method_id,
    externalId: external_id,
    instructions,
    readyAt,
    expectedCentavos: toCentavos(expected_total),
  });
}

const toPastChange = (change: AddressChange): Bodies['PastAddressChange'] => ({
  id: change.id,
  changed_by: change.changedBy,
  from: toAddress(change.from),
  to: toAddress(change.to),
  previous_pricing: change.repricing ? toPricing(change.repricing.previous) : undefined,
  new_total: change.repricing ? formatMoney(change.repricing.newTotalCentavos) : undefined,
  created_at: change.createdAt.toISOString(),
});
