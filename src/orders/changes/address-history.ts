import type { Selectable } from 'kysely';
import type { Actor } from '../../base/actor.js';
import { newId } from '../../base/ids.js';
import type { Listed, Page } from '../../base/page.js';
import type { Db } from '../../db/connect.js';
import { readPage } from '../../db/lists/read-page.js';
import { ownedBy } from '../../db/owned-by.js';
import { row } from '../../db/row.js';
import type { AddressChanges } from '../../db/tables/changes.js';
import { type Address, toAddress } from '../../packages/stop.js';
import type { Pricing } from '../order.js';

/** A change of an address. `repricing` is null unless the order was planned again. */
export interface AddressChange {
  id: string;
  changedBy: string;
  from: Address;
  to: Address;
  repricing: { previous: Pricing; newTotalCentavos: number } | null;
  createdAt: Date;
}

interface NewAddressChange extends Pick<AddressChange, 'from' | 'to'> {
  loggiKey: string;
  orderId: string;
  accountId: string;
  repricing?: AddressChange['repricing'];
}

export async function noteAddressChange(trx: Db, actor: Actor, change: NewAddressChange): Promise<void> {
  const { loggiKey, orderId, accountId, from, to, repricing } = change;
  await trx
    .insertInto('address_changes')
    .values(
      row<'address_changes'>({
        id: newId(),
        loggi_key: loggiKey,
        order_id: orderId,
        account_id: accountId,
        changed_by: actor.accountId,
        from_address: from.address,
        from_complement: from.complement ?? null,
        to_address: to.address,
        to_complement: to.complement ?? null,
        previous_lines: repricing ? JSON.stringify(repricing.previous.lines) : null,
        previous_total_centavos: repricing?.previous.totalCentavos ?? null,
        previous_rate_card_version: repricing?.previous.rateCardVersion ?? null,
        new_total_centavos: repricing?.newTotalCentavos ?? null,
      }),
    )
    .execute();
}

export async function listAddressChanges(db: Db, actor: Actor, loggiKey: string, page: Page) {
  const newest = db
    .selectFrom('address_changes')
    .selectAll()
    .where('loggi_key', '=', loggiKey)
    .where(ownedBy(actor, 'account_id'))
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc');
  const { rows, total } = await readPage(db, newest, page);
  return { rows: rows.map(toAddressChange), total } satisfies Listed<AddressChange>;
}

const toAddressChange = (row: Selectable<AddressChanges>): AddressChange => ({
  id: row.id,
  changedBy: row.changed_by,
  from: toAddress({ address: row.from_address, complement: row.from_complement }),
  to: toAddress({ address: row.to_address, complement: row.to_complement }),
  repricing: repricingOf(row),
  createdAt: row.created_at,
});

function repricingOf(row: Selectable<AddressChanges>): AddressChange['repricing'] {
  const { previous_lines: lines, previous_total_centavos: total, previous_rate_card_version: rateCardVersion } = row;
  if (lines === null || total === null || rateCardVersion === null) return null;
  return {
    previous: { lines, totalCentavos: Number(total), rateCardVersion },
    newTotalCentavos: Number(row.new_total_centavos),
  };
}
