import { deflateSync, inflateSync } from 'node:zlib';
import { type RawBuilder, sql } from 'kysely';
import { conflict, type FieldError, ServiceError } from '../base/errors.js';
import type { KeyRing } from '../base/secrets/keys.js';
import { open, SealError, seal } from '../base/secrets/seal.js';
import type { Db } from '../db/connect.js';
import { eraseRows } from '../db/erase.js';
import { removeOlder } from '../db/partitions/drop.js';
import { idempotencyKeys } from '../db/partitions/tables.js';
import { answerExpiry, sealed } from '../db/tables/sealed.js';

/** The scope of a key: one account and one operation. A repetition must have the same interface and fingerprint. */
export interface Scope {
  readonly accountId: string;
  readonly operation: string;
  readonly key: string;
  readonly interfaceName: string;
  readonly fingerprint: Buffer;
  /** Keys that seal the row, because an answer may show a secret and a fingerprint could help to guess a password. */
  readonly keys: KeyRing;
}

/** An answer, or the service error with which the request ended. */
export type StoredAnswer =
  | { readonly kind: 'answer'; readonly text: string }
  | ({ readonly kind: 'fault' } & Pick<ServiceError, 'code' | 'message' | 'headers'> & {
        // Absent if a release before 1.6 stored it; then the details lack codes, too.
        readonly reason?: ServiceError['reason'];
        readonly details: readonly (Omit<FieldError, 'code'> & Partial<FieldError>)[];
      });

const isStoredAnswer = (value: unknown): value is StoredAnswer =>
  typeof value === 'object' && value !== null && 'kind' in value && (value.kind === 'answer' || value.kind === 'fault');

// Upper bound of stored times, which leaves out the partitions of later days. Clocks of transactions may run ahead a
// little.
const soon = sql<Date>`now() + interval '1 hour'`;

type AnswerKey = Pick<Scope, 'accountId' | 'operation' | 'key'>;
export const answerName = ({ accountId, operation, key }: AnswerKey): string =>
  sealed.answers.ownerOf([accountId, operation, key]);

export interface StoredRow {
  door: string;
  fingerprint: Buffer;
  answer: Buffer;
}

export async function storedRows(db: Db, scopes: readonly Scope[]): Promise<(StoredRow | undefined)[]> {
  const keys = scopes.map(({ accountId: account_id, operation, key }, at) => ({ at, account_id, operation, key }));
  // LATERAL … LIMIT forces the planner to use the key, however few rows it knows of.
  const { rows } = await sql<StoredRow & { at: number }>`
    select at, kept.*
    from json_to_recordset(${JSON.stringify(keys)}::json) as scope(at integer, account_id uuid, operation text, key text)
    cross join lateral (
      select door, fingerprint, answer from idempotency_keys
      where account_id = scope.account_id and operation = scope.operation and key = scope.key
        and created_at > ${answerExpiry} and created_at < ${soon} limit 1
    ) kept`.execute(db);
  const byPlace = new Map(rows.map(({ at, ...row }) => [at, row]));
  return scopes.map((_, place) => byPlace.get(place));
}

/** Opens a stored row. Throws if the key was used for another request, or through another interface. */
export function openAnswer(scope: Scope, row: StoredRow): StoredAnswer {
  if (row.door !== scope.interfaceName)
    throw conflict('idempotency_other_interface', 'This Idempotency-Key was used through another interface.');
  if (!open(scope.keys, row.fingerprint, answerName(scope)).equals(scope.fingerprint)) {
    const message = 'This Idempotency-Key was used with another request.';
    throw new ServiceError('IDEMPOTENCY_KEY_REUSED', 'idempotency_key_reused', message);
  }
  const answer: unknown = JSON.parse(unpacked(open(scope.keys, row.answer, answerName(scope))));
  if (!isStoredAnswer(answer)) throw new Error('A stored answer has a form that this version does not know.');
  return answer;
}

/** Reads the answer stored for a scope in the last 24 hours. Throws as `openAnswer` does. */
export async function findStoredAnswer(db: Db, scope: Scope): Promise<StoredAnswer | undefined> {
  const [row] = await storedRows(db, [scope]);
  return row && openAnswer(scope, row);
}

// Sample texts of answers with an order. The names of fields come last, because near matches compress best.
const values = String.raw`{\"kind\":\"base\"},{\"kind\":\"distance\",\"weight\"\"extra_stop\"\"line_haul\"\"ad_valorem\"
 São Paulo\",\"state\":\"SP\", R$ 11 9Rua Avenida great_circle express economy street postal_code district Adicionado
 :false,\"stage\":\"created\":null,\"returnedBy\":null,\"deliveryPin\":null,\"declaredValue\":null,\"lineHaul\":null,
 \"fiscalDocument\":null,\"trackingHistory\":[]},{\"loggiKey\":\" \"actionRequired\":null,\"updatedTime\":\"2026-`;
const NAMES = `headers body ETag Location status code high_level_status highLevelStatus description final stage since
  updatedTime action_required actionRequired pickupAgency id user_id payment_method_id pk external_id externalId created_at
  updated_at createdAt service pricing total totalCm rate_card_version rateCardVersion lines kind quantity unit_price
  unitPrice amount route distance distance_source distanceSource pickups packages loggi_key loggiKey tracking_code
  trackingCode barcode tracking_url trackingUrl pickup_index pickupIndex recipient tax_id taxId name phone address complement
  pickup_resolved_address pickupResolvedAddress resolved_address resolvedAddress latitude longitude precision
  accuracy_metres accuracyMetres city state district postal_code postalCode dimensions width height length weight
  instructions pickup_waypoint pickupWaypoint waypoint index eta etaTime leg_distance legDistance promised_date
  promisedDate returnedBy deliveryPin declaredValue lineHaul fiscalDocument trackingHistory errors success orders`;

/** The dictionary must never change: a stored answer opens only with the dictionary that packed it. */
const dictionary = Buffer.from(
  `${values}${NAMES.split(/\s+/)
    .map((name) => String.raw`\",\"${name}\":\"`)
    .join('')}{"kind":"answer","text":"{`,
);

const packed = (text: string): Buffer => deflateSync(text, { dictionary });

const BRACE = 0x7b;

/** Unpacks a stored text. Release 1.7 stored it unpacked, as a JSON object. */
export const unpacked = (bytes: Buffer): string =>
  (bytes[0] === BRACE ? bytes : inflateSync(bytes, { dictionary })).toString('utf8');

export interface NewAnswer {
  readonly scope: Scope;
  readonly stored: StoredAnswer;
}

/** Stores answers in one statement. Under the locks of their keys, only expired rows can conflict. */
export async function storeAnswers(trx: Db, answers: readonly NewAnswer[]): Promise<void> {
  if (answers.length === 0) return;
  const rows = JSON.stringify(answers.map(sealedRow));
  if ((await insertAnswers(trx, rows)) === answers.length) return;
  await sql`
    delete from idempotency_keys kept using ${answersIn(rows)}
    where (kept.account_id, kept.operation, kept.key) = (answers.account_id, answers.operation, answers.key)
      and kept.created_at <= ${answerExpiry}`.execute(trx);
  await insertAnswers(trx, rows);
}

async function insertAnswers(trx: Db, rows: string): Promise<number> {
  const { numAffectedRows } = await sql`
    insert into idempotency_keys (account_id, operation, key, door, fingerprint, answer, created_at)
    select account_id, operation, key, door, fingerprint, answer, now() from ${answersIn(rows)}
    on conflict do nothing`.execute(trx);
  return Number(numAffectedRows);
}

const answersIn = (rows: string) => sql`json_to_recordset(${rows}::json) as answers(
  account_id uuid, operation text, key text, door text, fingerprint bytea, answer bytea)`;

function sealedRow({ scope, stored }: NewAnswer) {
  const { accountId, operation, key, interfaceName, keys } = scope;
  const sealed = (plain: string | Buffer) => String.raw`\x${seal(keys, plain, answerName(scope)).toString('hex')}`;
  const [fingerprint, answer] = [sealed(scope.fingerprint), sealed(packed(JSON.stringify(stored)))];
  return { account_id: accountId, operation, key, door: interfaceName, fingerprint, answer };
}

/** Removes answers older than 24 hours. Where the table has a partition per day, drops whole days. */
export const sweepIdempotencyKeys = (db: Db): Promise<void> => removeOlder(db, idempotencyKeys, 1);

/** Replaces an erased answer. The key stays taken, so that the request does not run again. */
const withdrawn: StoredAnswer = {
  kind: 'fault',
  code: 'CONFLICT',
  reason: 'idempotency_answer_erased',
  message: 'The answer to this Idempotency-Key was erased.',
  details: [],
  headers: {},
};

/**
 * SQL condition: answers to operators, which show data of other people. Recent operators count until their accounts are
 * removed.
 */
export const toOperators = sql`account_id in (
  select id from accounts where role = 'operator' or epoch_changed_at > now() - interval '49 hours')`;

interface Row {
  account_id: string;
  operation: string;
  key: string;
  /** The time to the microsecond, because an expired answer may exist beside a later one. */
  created_at: string;
  answer: Buffer;
}

const PAGE_SIZE = 200;
const UUIDS = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/**
 * Withdraws the stored answers that name one of the records. `condition` on `idempotency_keys kept` limits the answers
 * to open. An answer that does not open shows nothing, and is removed after its 24 hours.
 */
export async function withdrawAnswers(
  db: Db,
  keys: KeyRing,
  condition: RawBuilder<unknown>,
  records: ReadonlySet<string>,
): Promise<void> {
  for (let page = await read(db, condition); page.length > 0; page = await read(db, condition, page.at(-1))) {
    for (const row of page) if (names(keys, row, records)) await withdraw(db, keys, row);
    if (page.length < PAGE_SIZE) return;
  }
}

async function read(db: Db, condition: RawBuilder<unknown>, after?: Row): Promise<Row[]> {
  const rest = after
    ? sql`(account_id, operation, key, created_at) > (
        ${after.account_id}, ${after.operation}, ${after.key}, ${after.created_at}::timestamptz)`
    : sql`true`;
  const { rows } = await sql<Row>`
    select account_id, operation, key, created_at::text, answer from idempotency_keys kept where ${condition} and ${rest}
    order by account_id, operation, key, kept.created_at limit ${PAGE_SIZE}`.execute(db);
  return rows;
}

function names(keys: KeyRing, row: Row, records: ReadonlySet<string>): boolean {
  try {
    const text = unpacked(open(keys, row.answer, nameOf(row)));
    return (text.match(UUIDS) ?? []).some((id) => records.has(id));
  } catch (error) {
    if (error instanceof SealError) return false;
    throw error;
  }
}

const nameOf = ({ account_id: accountId, operation, key }: Row): string => answerName({ accountId, operation, key });

async function withdraw(db: Db, keys: KeyRing, row: Row): Promise<void> {
  await db
    .updateTable('idempotency_keys')
    .set({ answer: seal(keys, JSON.stringify(withdrawn), nameOf(row)) })
    .where('account_id', '=', row.account_id)
    .where('operation', '=', row.operation)
    .where('key', '=', row.key)
    .where('created_at', '=', sql<Date>`${row.created_at}::timestamptz`)
    .execute();
}

/** Removes up to 1 000 answers of an account. Resolves to their number. */
export function removeAnswersTo(db: Db, accountId: string): Promise<number> {
  const some = sql<boolean>`ctid = any(array(
    select ctid from idempotency_keys where account_id = ${accountId} limit 1000)) and account_id = ${accountId}`;
  return eraseRows(db, 'idempotency_keys', 'account', some);
}
