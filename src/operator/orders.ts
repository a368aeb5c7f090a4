import { type Actor, asSeenBy } from '../base/actor.js';
import { toTime } from '../base/clock.js';
import { type NoKey, omitUndefined } from '../base/every-key.js';
import type { Page } from '../base/page.js';
import type { Db } from '../db/connect.js';
import { listReply } from '../http/paging.js';
import { unfinishedOrders } from '../orders/figures.js';
import { listOrders, type OrderFilters, withPrices } from '../orders/list-orders.js';
import { orderSummaryBody } from '../orders/order.js';
import { findPackages } from '../packages/find-packages.js';
import type { Filters, OperatorDeps, SomeHandlers } from './deps.js';

export const ordersHandlers = ({ readList }: OperatorDeps) =>
  ({
    listAllOrders: ({ query, ctx }) =>
      listReply(query, (page) => readList((db) => ordersBy(db, ctx.actor, query, page)), orderSummaryBody),
  }) satisfies SomeHandlers;

async function ordersBy(db: Db, actor: Actor, query: Filters<'listAllOrders'>, page: Page) {
  const {
    user_id,
    open = false,
    q,
    with_pricing,
    created_from,
    created_to,
    ready_from,
    ready_to,
    status,
    ...others
  } = query;
  others satisfies NoKey;
  const asked = asSeenBy(actor, user_id);
  const created = { createdFrom: toTime(created_from), createdTo: toTime(created_to) };
  const found = q === undefined ? undefined : await findPackages(db, asked, q, created);
  const unfinished = open ? await unfinishedOrders(db, user_id) : undefined;
  const ids = idsIn(found, unfinished);
  const ready = { readyFrom: toTime(ready_from), readyTo: toTime(ready_to) };
  const filters = omitUndefined<OrderFilters>({
    ...created,
    ...ready,
    status,
    externalId: undefined,
    trackingCode: undefined,
    reference: undefined,
    metadata: undefined,
  });
  return withPrices(db, with_pricing, await listOrders(db, asked, { ...filters, ...(ids && { ids }) }, page));
}

/** The ids that are in both lists. If one list is missing, all ids of the other. */
function idsIn(found: readonly { orderId: string }[] | undefined, unfinished: readonly string[] | undefined) {
  if (!found) return unfinished;
  const ids = new Set(found.map(({ orderId }) => orderId));
  return unfinished ? unfinished.filter((id) => ids.has(id)) : [...ids];
}
