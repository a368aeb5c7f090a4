import type { Selection } from 'kysely';
import { notFound } from '../base/errors.js';
import type { Db } from '../db/connect.js';
import type { Database } from '../db/tables/database.js';

const columns = ['id', 'account_id as accountId', 'kind', 'label', 'created_at as createdAt'] as const;

export type PaymentMethod = Selection<Database, 'payment_methods', (typeof columns)[number]>;

/** A payment method in the form of the contracts. */
export const paymentMethodBody = ({ id, kind, label, createdAt }: PaymentMethod) => ({
  id,
  kind,
  label,
  created_at: createdAt.toISOString(),
});

/** All payment methods of an account, oldest first. The first one is the invoice that came with the account. */
export const paymentMethods = (db: Db, accountId: string): Promise<PaymentMethod[]> =>
  db.selectFrom('payment_methods').select(columns).where('account_id', '=', accountId).orderBy('id').execute();

/** SQL for the ids of an account's payment methods, oldest first. `account` is SQL for the account's id. */
export const paymentMethodIds = (account: string): string =>
  `array(select id from payment_methods where account_id = ${account} order by id)`;

export function addPaymentMethod(
  db: Db,
  accountId: string,
  { kind, label }: Pick<PaymentMethod, 'kind' | 'label'>,
): Promise<PaymentMethod> {
  return db
    .insertInto('payment_methods')
    .columns(['account_id', 'kind', 'label'])
    .expression((eb) =>
      eb
        .selectFrom('accounts')
        .select(({ val }) => ['id', val(kind).as('kind'), val(label).as('label')])
        .where('id', '=', accountId)
        .where('deleted_at', 'is', null),
    )
    .returning(columns)
    .executeTakeFirstOrThrow(() => notFound('user'));
}
