import { sql } from 'kysely';
import { NIL } from 'uuid';
import { erased } from '../base/erased.js';
import type { Db } from '../db/connect.js';

/** A frozen body of tracking, and the packages that it tells of. */
export interface TrackingBody {
  webhookId: string;
  body: Buffer;
  loggiKeys: string[];
}

const PAGE_SIZE = 100;

/** The next 100 bodies of tracking by id, from the first on when `after` is left out. */
export async function bodiesAfter(db: Db, after: string = NIL): Promise<TrackingBody[]> {
  const { rows } = await sql<{ webhook_id: string; body: Buffer }>`
    select webhook_id, body from webhook_deliveries
    where webhook_id > ${after} and kind = 'tracking' and body is not null
    order by webhook_id limit ${PAGE_SIZE}`.execute(db);
  return rows.map(({ webhook_id: webhookId, body }) => ({
    webhookId,
    body,
    loggiKeys: contentOf(body).packages.flatMap(keyOf),
  }));
}

/**
 * Erases what people have written about packages from a body: the reasons of actions that are required, and the address and the CEP
 * of the agency where a package waits. It stays a body that the contract allows. Undefined where there is no such text.
 */
export function withoutTexts({ body }: TrackingBody, isErased: (loggiKey: string) => boolean): Buffer | undefined {
  const content = contentOf(body);
  const packages = content.packages.map((each) => (keyOf(each).some(isErased) ? overwrite(each) : each));
  const bytes = Buffer.from(JSON.stringify({ ...content, packages }));
  return bytes.equals(body) ? undefined : bytes;
}

/** Writes bodies anew and forgets what receivers have answered to them, who may have repeated anything. */
export async function rewriteBodies(db: Db, bodies: readonly { webhookId: string; body?: Buffer }[]): Promise<void> {
  for (const { webhookId, body } of bodies) {
    if (!body) continue;
    await db.updateTable('webhook_deliveries').set({ body }).where('webhook_id', '=', webhookId).execute();
  }
  const ids = bodies.map(({ webhookId }) => webhookId);
  await sql`
    update webhook_attempts set response_body = null
    where webhook_id = any(${ids}::uuid[]) and response_body is not null`.execute(db);
}

const written: Readonly<Record<string, string>> = {
  reasonLabel: erased.text,
  reasonDescription: erased.text,
  address: erased.text,
  postalCode: erased.postalCode,
};

const overwrite = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (name, inner: unknown) => (typeof inner === 'string' && written[name]) || inner);

function contentOf(body: Buffer): { packages: unknown[] } {
  const content: unknown = JSON.parse(body.toString('utf8'));
  const hasPackages = typeof content === 'object' && content !== null && 'packages' in content;
  if (!hasPackages || !Array.isArray(content.packages)) throw new Error('a body of tracking has no packages');
  return { ...content, packages: content.packages };
}

function keyOf(each: unknown): string[] {
  if (typeof each !== 'object' || each === null || !('loggiKey' in each)) return [];
  return typeof each.loggiKey === 'string' ? [each.loggiKey] : [];
}
