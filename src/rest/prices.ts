import { cardsOfAccount, type TimedCard } from '../carrier/account-cards.js';
import { rateCardBody } from '../carrier/rate-cards.js';
import type { Bodies, RestDeps, SomeHandlers } from './deps.js';

export const pricesHandlers = ({ db }: RestDeps) =>
  ({
    getOwnRateCard: async ({ ctx }) => {
      const { current, announced } = await cardsOfAccount(db, ctx.actor.accountId);
      return { status: 200, body: toAccountPrices(toPriceCard(current), announced && toPriceCard(announced)) };
    },
  }) satisfies SomeHandlers;

type PriceCard = Bodies['PriceCard'];

const toAccountPrices = (current: PriceCard, announced: PriceCard | undefined): Bodies['AccountPrices'] => ({
  current,
  announced,
});

/** Without the name of the card, which is the operator's own. */
const toPriceCard = ({ card, validFrom }: TimedCard): PriceCard => ({
  ...rateCardBody(card),
  valid_from: validFrom.toISOString(),
});
