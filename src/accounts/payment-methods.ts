import type { Selectable } from 'kysely';
import { notFound } from '../base/errors.js';
import type { Db } from '../db/connect.js';
import type { PaymentMethods } from '../db/tables/accounts.js';

export interface PaymentMethod {
  id: number;
  accountId: string;
  kind: PaymentMethods['kind'];
  label: string;
  createdAt: Date;
}

const toPaymentMethod = (row: Selectable<PaymentMethods>): PaymentMethod => ({
  id: row.id,
  accountId: row.account_id,
  kind: row.kind,
  label: row.label,
  createdAt: row.created_at,
});

/** All of an account's payment methods, the first one, the invoice that came with the account, first. */
export async function paymentMethods(db: Db, accountId: string): Promise<PaymentMethod[]> {
  const query = db.selectFrom('payment_methods').selectAll().where('account_id', '=', accountId).orderBy('id');
  return (await query.execute()).map(toPaymentMethod);
}

/**
 * The ids of an account's payment methods, the first one first, as an expression; `account` is what stands for its id.
 */
export const paymentMethodIds = (account: string): string =>
  `array(select id from payment_methods where account_id = ${account} order by id)`;

/** Adds a payment method. Throws `NOT_FOUND` when there is no such account. */
export async function addPaymentMethod(
  db: Db,
  accountId: string,
  { kind, label }: Pick<PaymentMethod, 'kind' | 'label'>,
): Promise<PaymentMethod> {
  const row = await db
    .insertInto('payment_methods')
    .columns(['account_id', 'kind', 'label'])
    .expression((eb) =>
      eb
        .selectFrom('accounts')
        .select(({ val }) => ['id', val(kind).as('kind'), val(label).as('label')])
        .where('id', '=', accountId)
        .where('deleted_at', 'is', null),
    )
    .returningAll()
    .executeTakeFirst();
  if (!row) throw notFound('user');
  return toPaymentMethod(row);
}
