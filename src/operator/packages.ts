import { demandProof } from '../accounts/sessions/second-factor.js';
import { type Actor, asSeenBy } from '../base/actor.js';
import { toTime } from '../base/clock.js';
import { notFound } from '../base/errors.js';
import { type NoKey, omitUndefined } from '../base/every-key.js';
import { formatMoney, parseMoney } from '../base/money.js';
import type { Listed, Page } from '../base/page.js';
import type { Coordinates } from '../base/place.js';
import type { Db } from '../db/connect.js';
import { listReply } from '../http/paging.js';
import { cancelPackage } from '../orders/changes/cancel-package.js';
import { type AddressChangeInput, changeAddress } from '../orders/changes/change-address.js';
import type { ChangedOrder } from '../orders/changes/order-after.js';
import { type OrderTerms, termsOf } from '../orders/order.js';
import { reopenPackage } from '../orders/reopen-package.js';
import { renewTrackingLink, revokeTrackingLink } from '../orders/tracking-link.js';
import { attemptsBody, deliveryAttemptBody, windowBody } from '../packages/attempts.js';
import { findPackages } from '../packages/find-packages.js';
import { listPackages, trackingCodesIn } from '../packages/list-packages.js';
import { factsBody } from '../packages/movement.js';
import { type Package, statusBody } from '../packages/package.js';
import { getPackage } from '../packages/queries.js';
import { shownDocument, shownRecipient } from '../packages/recipient.js';
import { type StoryEntry, storyOf } from '../packages/reopening.js';
import { type Address, shownPlace, shownSender } from '../packages/stop.js';
import type { TrackingLinks } from '../packages/tracking-links.js';
import { listUnderWay } from '../packages/under-way.js';
import type { Bodies, Filters, OperatorDeps, Schemas, SomeHandlers } from './deps.js';

export const packagesHandlers = (deps: OperatorDeps) => {
  const { db, readList, trackingLinks } = deps;
  return {
    ...repricingHandlers(deps),

    listPackages: ({ query, ctx }) =>
      listReply(
        query,
        (page) => readList(async (replica) => withTerms(replica, await packagesBy(replica, ctx.actor, query, page))),
        (each) => toTrackedPackage(each, trackingLinks),
      ),

    getPackage: async ({ params, ctx }) => ({
      status: 200,
      body: toTrackedPackage(await knownPackage(db, ctx.actor, params.loggi_key), trackingLinks),
    }),

    listMovements: async ({ params, query }) => {
      const reply = await listReply(
        query,
        (page) => readList((replica) => storyOf(replica, params.loggi_key, page)),
        toMovement,
      );
      // Every package has a first movement. Without movements, the package does not exist.
      if (reply.body.pagination.total_items === 0) throw notFound('package');
      return reply;
    },

    reopenPackage: async ({ params, body, ctx }) => {
      const { reason, current_password: currentPassword, code, ...others } = body;
      others satisfies NoKey;
      const { accountId } = ctx.actor;
      await demandProof({ db, keys: deps.encryptionKeys, clock: deps.clock }, accountId, { currentPassword, code });
      return async (trx) => {
        const { traceparent } = ctx.origin;
        await reopenPackage(trx, ctx.actor, params.loggi_key, { reason, traceparent });
        const reopened = await knownPackage(trx, ctx.actor, params.loggi_key);
        return { status: 200, body: toTrackedPackage(reopened, trackingLinks) };
      };
    },

    renewTrackingLink:
      async ({ params, ctx }) =>
      async (trx) => {
        await renewTrackingLink(trx, params.loggi_key);
        const renewed = await knownPackage(trx, ctx.actor, params.loggi_key);
        return { status: 200, body: toTrackedPackage(renewed, trackingLinks) };
      },

    revokeTrackingLink: async ({ params, ctx }) => {
      if (!(await getPackage(db, ctx.actor, params.loggi_key))) throw notFound('package');
      return async (trx) => {
        await revokeTrackingLink(trx, params.loggi_key);
        return { status: 204 };
      };
    },
  } satisfies SomeHandlers;
};

/** Handles the changes that change the price of an order. */
const repricingHandlers = (deps: OperatorDeps) => {
  const answering = (write: (trx: Db) => Promise<ChangedOrder>, key: string) => async (trx: Db) => {
    const body = toChangedPackage(await write(trx), key, deps.trackingLinks);
    return { status: 200, body } as const;
  };
  return {
    cancelPackageForShipper: async ({ params, body: { preview, ...others }, ctx }) => {
      others satisfies NoKey;
      const options = { preview, traceparent: ctx.origin.traceparent };
      const write = await cancelPackage(deps, ctx.actor, params.loggi_key, options);
      return answering(write, params.loggi_key);
    },

    changeAddressForShipper: async ({ params, body, ctx }) => {
      const write = await changeAddress(deps, ctx.actor, params.loggi_key, toAddressChange(body));
      return answering(write, params.loggi_key);
    },
  } satisfies SomeHandlers;
};

/** The packages of all accounts that match the filters of the query. */
async function packagesBy(db: Db, actor: Actor, query: Filters<'listPackages'>, page: Page): Promise<Listed<Package>> {
  const {
    open = false,
    late = false,
    stuck_since,
    user_id,
    status_code,
    created_from,
    created_to,
    q,
    ...others
  } = query;
  const { order_id, tracking_code, tracking_codes, barcode, reference, attempt_outcome, ...unknown } = others;
  unknown satisfies NoKey;
  const created = { createdFrom: toTime(created_from), createdTo: toTime(created_to) };
  const found = q === undefined ? undefined : await findPackages(db, asSeenBy(actor, user_id), q, created);
  const filters = {
    ...created,
    accountId: user_id,
    orderId: order_id,
    statusCode: status_code,
    trackingCode: tracking_code,
    trackingCodes: trackingCodesIn(tracking_codes),
    barcode,
    reference,
    attemptOutcome: attempt_outcome,
    loggiKeys: found?.map(({ loggiKey }) => loggiKey),
  };
  if (!open && !late && stuck_since === undefined) return listPackages(db, actor, filters, page);
  const stuckSince = stuck_since === undefined ? undefined : new Date(stuck_since);
  return listUnderWay(db, actor, { ...filters, isLate: late, stuckSince }, page);
}

/** A package with the terms of its order. */
interface Ordered {
  tracked: Package;
  terms: OrderTerms | undefined;
}

async function withTerms(db: Db, { rows, total }: Listed<Package>): Promise<Listed<Ordered>> {
  const ids = rows.map(({ orderId }) => orderId);
  const terms = await termsOf(db, ids);
  return { rows: rows.map((tracked) => ({ tracked, terms: terms.get(tracked.orderId) })), total };
}

async function knownPackage(db: Db, actor: Actor, loggiKey: string): Promise<Ordered> {
  const tracked = await getPackage(db, actor, loggiKey);
  if (!tracked) throw notFound('package');
  return { tracked, terms: (await termsOf(db, [tracked.orderId])).get(tracked.orderId) };
}

function toAddressChange({ address, total, ...others }: Schemas['AddressChangeInput']): AddressChangeInput {
  others satisfies NoKey;
  const { address: text, complement, location, ...unknown } = address;
  unknown satisfies NoKey;
  const totalCentavos = total === undefined ? undefined : parseMoney(total);
  return omitUndefined<AddressChangeInput>({
    address: omitUndefined<Address>({ address: text, complement, location: location && toLocation(location) }),
    totalCentavos,
  });
}

function toLocation({ latitude, longitude, accuracy, ...others }: Schemas['CoordinatesInput']): Coordinates {
  others satisfies NoKey;
  return omitUndefined<Coordinates>({ latitude, longitude, accuracyMetres: accuracy });
}

/** Shows the package, and the price of its order before and after the change. */
function toChangedPackage(after: ChangedOrder, key: string, links: TrackingLinks): Bodies['ChangedPackage'] {
  const { changed, previousPricing, order } = after;
  const current = order.packages.find(({ loggiKey }) => loggiKey === key.toLowerCase());
  if (!current) throw notFound('package');
  return {
    changed,
    package: toTrackedPackage({ tracked: current, terms: order }, links),
    resolved_address: shownPlace(current.place),
    order_status: order.status,
    previous_total: formatMoney(previousPricing.totalCentavos),
    total: formatMoney(order.pricing.totalCentavos),
  };
}

const toTrackedPackage = ({ tracked, terms }: Ordered, links: TrackingLinks): Bodies['TrackedPackage'] => ({
  loggi_key: tracked.loggiKey,
  user_id: tracked.accountId,
  order_id: tracked.orderId,
  tracking_code: tracked.trackingCode,
  barcode: tracked.barcode,
  recipient: shownRecipient(tracked.recipient),
  fiscal_document: shownDocument(tracked.fiscalDocument),
  declared_value: tracked.declaredCentavos === null ? undefined : formatMoney(tracked.declaredCentavos),
  service: terms?.service,
  ready_at: terms?.readyAt?.toISOString(),
  deliver_from: tracked.deliverFrom ?? undefined,
  deliver_by: tracked.deliverBy ?? undefined,
  reference: tracked.reference ?? undefined,
  sender: shownSender(tracked.sender),
  address: { address: tracked.address.address, complement: tracked.address.complement },
  status: statusBody(tracked.status),
  location: tracked.location ?? undefined,
  promised_date: tracked.promisedDate,
  tracking_url: links.urlOf(tracked),
  attempts: tracked.attempts ? attemptsBody(tracked.attempts) : undefined,
  expected_window: tracked.expected ? windowBody(tracked.expected) : undefined,
  movement_count: tracked.seq,
  created_at: tracked.createdAt.toISOString(),
});

const toMovement = ({ reopening, ...entry }: StoryEntry): Bodies['Movement'] => ({
  id: entry.id,
  status_code: entry.statusCode,
  high_level_status: entry.statusName,
  happened_at: entry.happenedAt,
  recorded_at: entry.recordedAt,
  location: entry.location ?? undefined,
  ...factsBody(entry),
  attempt: entry.attempt ? deliveryAttemptBody(entry.attempt) : undefined,
  expected: entry.expected ? windowBody(entry.expected) : undefined,
  reopening: reopening && { reason: reopening.reason, operator_id: reopening.operator_id },
});
