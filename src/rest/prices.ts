import { Readable } from 'node:stream';
import type { NoKey } from '../base/every-key.js';
import { cardsOfAccount, type TimedCard } from '../carrier/account-cards.js';
import { rateCardBody } from '../carrier/rate-cards.js';
import { askRateTable, usualWeights } from '../orders/rate-table/rate-tables.js';
import { tableFile } from '../orders/rate-table/table-file.js';
import type { Bodies, RestDeps, SomeHandlers } from './deps.js';

export const pricesHandlers = ({ db }: RestDeps) =>
  ({
    getOwnRateCard: async ({ ctx }) => {
      const { current, announced } = await cardsOfAccount(db, ctx.actor.accountId);
      return { status: 200, body: toAccountPrices(toPriceCard(current), announced && toPriceCard(announced)) };
    },

    getRateTable: async ({ query, ctx }) => {
      const { pickup_postal_code, service = 'express', weights, layout = 'malote', ...others } = query;
      others satisfies NoKey;
      const asked = await askRateTable(db, ctx.actor.accountId, {
        pickupPostalCode: pickup_postal_code,
        service,
        weights: weights?.split(',').map(Number) ?? usualWeights,
      });
      if (asked.kind === 'waiting') {
        const body = { state: 'waiting' as const, asked_at: asked.askedAt.toISOString() };
        return { status: 202, body, headers: { 'Retry-After': String(RETRY_SECONDS) } };
      }
      const name = `rate-table-${pickup_postal_code}-${service}.csv`;
      const headers = {
        ETag: `"${layout}-${asked.key.slice(0, 32)}"`,
        'Content-Disposition': `attachment; filename="${name}"`,
      };
      return { status: 200, type: 'text/csv', body: Readable.from(tableFile(asked, layout)), headers };
    },
  }) satisfies SomeHandlers;

/** A price table takes some seconds to make. */
const RETRY_SECONDS = 5;

type PriceCard = Bodies['PriceCard'];

const toAccountPrices = (current: PriceCard, announced: PriceCard | undefined): Bodies['AccountPrices'] => ({
  current,
  announced,
});

/** The prices of a rate card. Its name is left out, because it belongs to the operator. */
const toPriceCard = ({ card, validFrom }: TimedCard): PriceCard => ({
  ...rateCardBody(card),
  valid_from: validFrom.toISOString(),
});
