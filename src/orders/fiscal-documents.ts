import { sql } from 'kysely';
import { conflict, type DetailCode, type FieldError, type ServiceError } from '../base/errors.js';
import { type FiscalRule, readAccessKey } from '../base/tax.js';
import type { Db } from '../db/connect.js';
import type { NewPackage, Package } from '../packages/package.js';
import type { FiscalDocument } from '../packages/recipient.js';
import type { Order, PackageInput } from './order.js';

// Fiscal documents of goods. No tax office is asked. A key must not be in use by another order under way of the
// account.

const DEMANDED = 'is required by the account';

export type CheckedDocument = { value: FiscalDocument | null; errors: [] } | { value?: never; errors: FieldError[] };

/** The document of each package, with its key as bare digits, or its errors. */
export const checkDocuments = (packages: readonly PackageInput[], rule: FiscalRule | undefined): CheckedDocument[] =>
  packages.map(({ fiscalDocument }, at) => checkDocument(fiscalDocument, `packages.${at}.fiscalDocument`, rule));

function checkDocument(
  input: FiscalDocument | null | undefined,
  at: string,
  rule: FiscalRule | undefined,
): CheckedDocument {
  const refuse = (field: string, code: DetailCode, message: string): CheckedDocument => ({
    errors: [{ field, code, message }],
  });
  const demand = (field: string): CheckedDocument => {
    return { errors: [{ field, code: 'required', message: DEMANDED, reason: 'fiscal_document_required' }] };
  };
  if (!input) return rule === 'required' ? demand(at) : { value: null, errors: [] };
  const { kind, key, reason } = input;
  if (kind === 'none') {
    if (key !== undefined) return refuse(`${at}.key`, 'contradiction', 'is not for the kind none');
    return reason === undefined && rule === 'required' ? demand(`${at}.reason`) : { value: input, errors: [] };
  }
  if (reason !== undefined) return refuse(`${at}.reason`, 'contradiction', 'is for the kind none only');
  if (key === undefined) return refuse(`${at}.key`, 'required', `is required for the kind ${kind}`);
  const read = readAccessKey(key);
  if (!read)
    return refuse(`${at}.key`, 'check_digits', 'must be an access key: a part of it or its check digit is wrong');
  if (read.kind !== kind) return refuse(`${at}.key`, 'contradiction', `is of the kind ${read.kind}`);
  return { value: { kind, key: read.value }, errors: [] };
}

/** Finds keys that packages for different recipients in one order share. */
export function checkSharedKeys(
  packages: readonly PackageInput[],
  documents: readonly CheckedDocument[],
): FieldError[] {
  const firsts = new Map<string, string>();
  return packages.flatMap(({ recipient: { name, taxId } }, at) => {
    const key = documents[at]?.value?.key;
    if (key === undefined) return [];
    const recipient = JSON.stringify([name, taxId]);
    const first = firsts.get(key) ?? recipient;
    firsts.set(key, first);
    if (first === recipient) return [];
    const message = 'is of a package for another recipient';
    return [{ field: `packages.${at}.fiscalDocument.key`, code: 'taken', message }];
  });
}

/** The readable keys of the packages, as bare digits. */
export const keysOf = (packages: readonly PackageInput[]): string[] =>
  packages.flatMap(({ fiscalDocument }) => readAccessKey(fiscalDocument?.key ?? '')?.value ?? []);

/** Throws CONFLICT if another order of the account has one of these keys and is neither completed nor cancelled. */
export function demandFreeKeys(orderOfKey: ReadonlyMap<string, string>, documents: readonly CheckedDocument[]): void {
  const details = documents.flatMap(({ value }, at) => {
    const orderId = orderOfKey.get(value?.key ?? '');
    return orderId === undefined ? [] : [taken(at, orderId)];
  });
  if (details.length > 0) throw keysTaken(details);
}

const taken = (at: number, orderId?: string): FieldError => ({
  field: `packages.${at}.fiscalDocument.key`,
  code: 'taken',
  message: 'is taken',
  reason: 'fiscal_key_taken',
  ...(orderId !== undefined && { orderId }),
});

const keysTaken = (details: readonly FieldError[]): ServiceError =>
  conflict('fiscal_key_taken', 'The account has an order under way with this fiscal key.', { details });

/** The error of an order that came second. It names all keys: the database does not tell which one was taken. */
export const someKeyTaken = (packages: readonly Pick<NewPackage, 'fiscalDocument'>[]): ServiceError =>
  keysTaken(packages.flatMap(({ fiscalDocument }, at) => (fiscalDocument?.key === undefined ? [] : [taken(at)])));

/** Frees the key of a package that is cancelled alone, unless another package of the order needs the key. */
export async function freeKey(trx: Db, { id, accountId, packages }: Order, cancelled: Package): Promise<void> {
  const key = cancelled.fiscalDocument?.key;
  const keepers = packages.filter(({ loggiKey, status, fiscalDocument }) => {
    return fiscalDocument?.key === key && status.stage !== 'cancelled' && loggiKey !== cancelled.loggiKey;
  });
  if (key === undefined || keepers.length > 0) return;
  const ofKey = sql`account_id = ${accountId} and key = ${key}`;
  await sql`update fiscal_keys set order_ids = array_remove(order_ids, ${id}::uuid) where ${ofKey}`.execute(trx);
  await sql`delete from fiscal_keys where ${ofKey} and order_ids = '{}'`.execute(trx);
}

/**
 * Takes the key of a package again for its order, which is under way again. Throws CONFLICT if another order has taken
 * it meanwhile.
 */
export async function retakeKey(
  trx: Db,
  { accountId, orderId }: { accountId: string; orderId: string },
  key: string,
): Promise<void> {
  await sql`
    insert into fiscal_keys (account_id, key, order_ids) values (${accountId}, ${key}, array[${orderId}::uuid])
    on conflict (account_id, key) do nothing`.execute(trx);
  const { rows } = await sql<{ holder: string; isOwn: boolean }>`
    select order_ids[1] as holder, order_ids @> array[${orderId}::uuid] as "isOwn"
    from fiscal_keys where account_id = ${accountId} and key = ${key}`.execute(trx);
  if (!rows[0]?.isOwn) throw keysTaken([{ ...taken(0, rows[0]?.holder), field: 'fiscalDocument.key' }]);
}

/** The constraint that a second order with the same key violates. */
export const FISCAL_KEYS = 'fiscal_keys_pkey';

/**
 * SQL of a table expression that takes the keys of `new_packages` for their orders. A taken key is an error, which
 * undoes the order. A return shares its key with the original order, in whatever state that is.
 */
export const keepingKeys = ({ isShared }: { isShared: boolean }): string => `, keys_kept as (
      insert into fiscal_keys (account_id, key, order_ids)
      select distinct account_id, fiscal_key, array[order_id] from new_packages where fiscal_key is not null
      order by account_id, fiscal_key
      ${isShared ? 'on conflict (account_id, key) do update set order_ids = fiscal_keys.order_ids || excluded.order_ids' : ''})`;
