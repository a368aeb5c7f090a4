import { expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { cardsInUse, cardsOfAccount, giveCard } from '../../src/carrier/account-cards.js';
import { addRateCard, currentRateCard, getRateCard } from '../../src/carrier/rate-cards.js';
import type { Db } from '../../src/db/connect.js';
import type { BandPrices, ZoneRow } from '../../src/db/tables/prices.js';
import { transaction } from '../../src/db/transaction.js';
import { cancelPackage } from '../../src/orders/changes/cancel-package.js';
import { changeAddress } from '../../src/orders/changes/change-address.js';
import { coverageAt } from '../../src/orders/coverage.js';
import { createPlacing } from '../../src/orders/place-order.js';
import { estimateOrder, planOrder } from '../../src/orders/plan-order.js';
import { previewRates } from '../../src/orders/rate-preview.js';
import { recordMovements } from '../../src/orders/record-movements.js';
import { returnPackage } from '../../src/orders/returns.js';
import { ownDatabase } from '../support/services.js';
import { faultOf, makeAccount } from './accounts-fixtures.js';
import { codeRing, codes, makeOrder, movement, orderInput, planDeps } from './orders-fixtures.js';

/** Rate cards by name: each account is priced by its own, and a card takes over at its time for everything at once. */

const { db } = await ownDatabase();
const first = await currentRateCard(db);
const { version: _, name: __, valid_from: ___, created_at: ____, ...rates } = first;
/** The first card with all prices multiplied by `factor`. */
const dearer = (factor: number) => ({
  ...rates,
  base_centavos: rates.base_centavos * factor,
  zones: rates.zones && { ...rates.zones, rows: rates.zones.rows.map((row) => timesRow(row, factor)) },
});
const timesPrices = ({ prices, perFurtherKg }: BandPrices, factor: number) => ({
  prices: prices.map((price) => price * factor),
  perFurtherKg: perFurtherKg * factor,
});
const timesRow = ({ upToKm, economy, ...express }: ZoneRow, factor: number): ZoneRow => ({
  ...{ upToKm, ...timesPrices(express, factor) },
  ...(economy && { economy: timesPrices(economy, factor) }),
});
/** Today's date in São Paulo. */
const today = new Date(Date.now() - 3 * 3_600_000).toISOString().slice(0, 10);
const tomorrow = () => new Date(Date.now() + 86_400_000);
const versionFor = async (pool: Db, accountId: string) =>
  (await planOrder(planDeps(pool), accountId, orderInput())).pricing.rateCardVersion;

test('an account has the card that it was given, and no other account has it', async () => {
  const [ana, bia] = [await makeAccount(db), await makeAccount(db)];
  const contract = await addRateCard(db, dearer(2), { name: 'contract' });
  expect([await versionFor(db, ana.id), await versionFor(db, bia.id)]).toEqual([first.version, first.version]);
  await giveCard(db, ana.id, { name: 'contract', from: today });
  expect([await versionFor(db, ana.id), await versionFor(db, bia.id)]).toEqual([contract.version, first.version]);
  const { current, announced } = await cardsOfAccount(db, ana.id);
  expect([current.name, current.card.version, announced]).toEqual(['contract', contract.version, undefined]);
  expect((await cardsInUse(db)).map(({ version }) => version)).toEqual([first.version, contract.version]);
  await giveCard(db, ana.id, { name: 'standard', from: today });
  expect(await versionFor(db, ana.id)).toBe(first.version);
});

test('the newest card of a name is in force, even if cards of other names are newer', async () => {
  const { id } = await makeAccount(db);
  await addRateCard(db, dearer(2), { name: 'series' });
  await giveCard(db, id, { name: 'series', from: today });
  const second = await addRateCard(db, dearer(3), { name: 'series' });
  await addRateCard(db, dearer(4), { name: 'other' });
  expect(await versionFor(db, id)).toBe(second.version);
  expect((await currentRateCard(db)).version).toBe(first.version);
});

/** The versions that everything which prices an order of the account uses, at the time of the transaction. */
async function versionsIn(trx: Db, accountId: string, ordered: Awaited<ReturnType<typeof orderedBy>>) {
  const deps = planDeps(trx);
  const { owner, waiting, delivered } = ordered;
  const [estimate] = await estimateOrder(deps, accountId, orderInput());
  const address = { address: 'Rua XV de Novembro, 9 - Centro, Ribeirão Preto - SP' };
  const changed = await (await changeAddress(deps, owner, waiting, { address }))(trx);
  const placing = createPlacing({ db: trx, codes, keys: codeRing, waitMs: 1_000 });
  const returned = await (await returnPackage({ ...deps, placing }, owner, delivered, {}))(trx);
  const cancelled = await (await cancelPackage(deps, owner, waiting, { preview: true }))(trx);
  return {
    estimate: estimate.pricing.rateCardVersion,
    order: await versionFor(trx, accountId),
    change: changed.order.pricing.rateCardVersion,
    return: returned.pricing.rateCardVersion,
    cancellation: cancelled.order.pricing.rateCardVersion,
    until: estimate.priceUntil,
  };
}

async function orderedBy(accountId: string) {
  const owner = { accountId, role: 'customer' } as const;
  const [waiting, delivered] = [await makeOrder(db, accountId, 2), await makeOrder(db, accountId)].map(
    ({ packages }) => packages[0]?.loggiKey ?? '',
  );
  await recordMovements(db, [movement(delivered ?? '', 5)]);
  return { owner, waiting: waiting ?? '', delivered: delivered ?? '' };
}

/** Runs work in a transaction, in which time stands still, and rolls it back. */
async function undone<T>(work: (trx: Db) => Promise<T>): Promise<T> {
  const done: T[] = [];
  const end = new Error('taken back');
  const ended = transaction(db, async (trx) => {
    done.push(await work(trx));
    throw end;
  }).catch((error: unknown) => error);
  expect(await ended).toBe(end);
  return done[0] as T;
}

test.each([
  ['a card of the name begins', 'rate_cards'],
  ['the account gets another name', 'account_rate_cards'],
] as const)('when %s the price changes for everything at once, to the millisecond', async (_, table) => {
  const { id } = await makeAccount(db);
  const isCard = table === 'rate_cards';
  const old = await addRateCard(db, dearer(2), { name: `before-${isCard}` });
  await giveCard(db, id, { name: old.name, from: today });
  await sql`update account_rate_cards set valid_from = now() - interval '1 day' where account_id = ${id}`.execute(db);
  const name = isCard ? old.name : 'after';
  const next = await addRateCard(db, dearer(3), { name, validFrom: isCard ? tomorrow() : undefined });
  if (!isCard)
    await sql`insert into account_rate_cards (account_id, name, valid_from) values (${id}, 'after', ${tomorrow()})`.execute(
      db,
    );
  const ordered = await orderedBy(id);
  const at = (offset: string) =>
    undone(async (trx) => {
      const later = sql.raw(`update ${table} set valid_from = now() + interval '${offset}' where valid_from > now()`);
      await later.execute(trx);
      return versionsIn(trx, id, ordered);
    });
  const all = (version: number) => {
    return { estimate: version, order: version, change: version, return: version, cancellation: old.version };
  };
  expect(await at('1 millisecond')).toEqual({ ...all(old.version), until: expect.any(Date) });
  expect(await at('0')).toEqual({ ...all(next.version), until: null });
  expect(await at('-1 millisecond')).toEqual({ ...all(next.version), until: null });
  await sql`update rate_cards set valid_from = created_at`.execute(db);
});

test('a card begins now or within a year; up to a minute ago counts as now, because clocks differ', async () => {
  const start = (milliseconds: number) =>
    faultOf(addRateCard(db, rates, { name: 'bounds', validFrom: new Date(Date.now() + milliseconds) }));
  const refused = { code: 'VALIDATION_ERROR', fields: ['validFrom'] };
  expect(await start(-120_000)).toEqual(refused);
  expect(await start(367 * 86_400_000)).toEqual(refused);
  expect(await start(364 * 86_400_000)).toMatchObject({ code: 'none' });
  const late = await addRateCard(db, rates, { name: 'bounds', validFrom: new Date(Date.now() - 30_000) });
  expect(late.valid_from.getTime() - late.created_at.getTime()).toBeLessThanOrEqual(1);
  const added = await getRateCard(db, late.version);
  expect(added).toEqual(late);
});

test("coverage names the services of the account's own card", async () => {
  const { id } = await makeAccount(db);
  const { zones, ...others } = rates;
  await addRateCard(db, { ...others, zones: null, urban_km: null }, { name: 'express-only' });
  const servicesFor = async () =>
    (await coverageAt(planDeps(db), id, [{ city: 'Santos', state: 'SP' }], undefined))[0]?.services;
  expect([zones?.economyDays === undefined, await servicesFor()]).toEqual([false, ['express', 'economy']]);
  await giveCard(db, id, { name: 'express-only', from: today });
  expect(await servicesFor()).toEqual(['express']);
});

test('a preview compares each order with the card of its account, or shows the orders of one account', async () => {
  const [ana, bia] = [await makeAccount(db), await makeAccount(db)];
  await addRateCard(db, dearer(5), { name: 'preview' });
  await giveCard(db, ana.id, { name: 'preview', from: today });
  const orders = [await makeOrder(db, ana.id), await makeOrder(db, bia.id)];
  const { orders: all, currentVersion } = await previewRates(db, dearer(2));
  expect(currentVersion).toBe(first.version);
  for (const order of orders) {
    const found = all.find(({ id }) => id === order.id);
    expect(found?.currentCentavos).toBe(order.pricing.totalCentavos);
  }
  const own = await previewRates(db, dearer(2), ana.id);
  expect(own.orders.map(({ id }) => id)).toEqual([orders[0]?.id]);
  expect(own.orders[0]?.newCentavos).toBe((orders[1]?.pricing.totalCentavos ?? 0) * 2);
  expect(own.currentVersion).toBe(orders[0]?.pricing.rateCardVersion);
});
