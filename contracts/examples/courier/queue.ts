// The queue of a courier's app. What happens is stored on the device at once, and sent, the oldest first, until the
// service has answered for it. Browsers, Node ≥ 20 and React Native run it; nothing to install.

/** As `MovementInput` of the contract has it. Its id is made when it happens: crypto.randomUUID(). */
export type Movement = { id: string; status_code: number; happened_at: string; pin?: string; [field: string]: unknown };

/** A request that waits. Nothing in it is ever changed: what the courier corrects is a new entry, with a new id. */
export type Entry = { method: 'POST' | 'PUT'; path: string; headers: Record<string, string>; body: string | Blob };

/** Why an entry will never be accepted as it is, or was given up. The carrier finds the request by its id. */
export type Refusal = { reason: string; fieldCode: string | undefined; requestId?: string | null };

/** As `CollectionReceiptInput` of the contract has it: the codes that were scanned, or those of absent packages. */
export type Receipt = { happened_at: string; location?: { city: string; state: string } } & ({ scanned: string[] } | { missing: string[] });

/** The answer to a receipt. Nothing is recorded for `extra_codes`, which are not on the list. */
export type Received = { collected: number; missing: number; refused: number; extra_codes: string[] };

/** Storage that outlives the app: a table of SQLite, a store of IndexedDB. */
export interface Store {
  oldest(): Promise<Entry | undefined>;
  /** Removes the oldest entry. What was refused is kept apart, and the answer to a receipt is shown to the courier. */
  settle(entry: Entry, refusal: Refusal | undefined, received: Received | undefined): Promise<void>;
  /** Counts a failure of the service at the entry; answers how many there were. */
  countFailure(entry: Entry): Promise<number>;
}

export const movementEntry = (movement: Movement): Entry => ({
  method: 'POST',
  path: '/operator/v1/movements',
  headers: {
    'Content-Type': 'application/json',
    // Wrong PINs are counted: under this key, one that is sent again is not counted again.
    ...(movement.pin !== undefined && { 'Idempotency-Key': movement.id }),
  },
  body: JSON.stringify({ movements: [movement] }),
});

/** By the code of the sheet. Sent again it changes nothing, so it needs no key. */
export const receiptEntry = (listCode: string, receipt: Receipt): Entry => ({
  method: 'POST',
  path: `/operator/v1/collections/${listCode}/receipt`,
  headers: { 'Content-Type': 'application/json' },
  body: JSON.stringify(receipt),
});

/** Goes into the queue after the delivery that it belongs to. */
export const pictureEntry = (loggiKey: string, kind: 'photo' | 'signature', picture: Blob): Entry => ({
  method: 'PUT',
  path: `/operator/v1/packages/${loggiKey}/proof/${kind}`,
  headers: { 'Content-Type': 'application/octet-stream' },
  body: picture,
});

/** Why the queue stops: it is empty, it tries again later, or it needs another key, and has lost nothing. */
export type Stop = { why: 'empty' } | { why: 'wait'; seconds: number } | { why: 'key' };

type Outcome = Stop | { why: 'settled'; refusal?: Refusal; received?: Received } | { why: 'failed'; refusal: Refusal };

/** An entry at which the service failed so often is set aside: what comes after it must not wait for ever. */
export const maxFailures = 10;
const longestMs = 30_000;
const pauseSeconds = 30;

/** Sends what waits. Call it when something was stored, when the network is back, and when `seconds` have passed. */
export async function sendWaiting(store: Store, url: string, key: string): Promise<Stop> {
  for (;;) {
    const entry = await store.oldest();
    if (!entry) return { why: 'empty' };
    // No network, no answer in time, or one that is cut off. It may have been done: the same again does no harm.
    const outcome = await send(entry, url, key).catch((): Outcome => ({ why: 'wait', seconds: pauseSeconds }));
    if (outcome.why === 'failed' && (await store.countFailure(entry)) < maxFailures) return { why: 'wait', seconds: pauseSeconds };
    if (outcome.why !== 'settled' && outcome.why !== 'failed') return outcome;
    await store.settle(entry, outcome.refusal, outcome.why === 'settled' ? outcome.received : undefined);
  }
}

async function send({ method, path, headers, body }: Entry, url: string, key: string): Promise<Outcome> {
  const signal = AbortSignal.timeout(longestMs);
  const answer = await fetch(url + path, { method, headers: { ...headers, Authorization: `Bearer ${key}` }, body, signal });
  const retryAfter = answer.headers.get('retry-after');
  if (retryAfter !== null) return { why: 'wait', seconds: Number(retryAfter) || pauseSeconds };
  if (answer.status === 204) return { why: 'settled' };
  // Throws for a page of a hotel's network or a proxy.
  const { results, receipt, error } = JSON.parse(await answer.text());
  if (results) return outcomeOf(results[0]);
  if (receipt) return { why: 'settled', received: receipt };
  // The key has ended, or may not do it: that says nothing about the entry.
  if (answer.status === 401 || answer.status === 403) return { why: 'key' };
  const refusal = { reason: error.reason, fieldCode: error.details[0]?.code, requestId: answer.headers.get('x-request-id') };
  return { why: answer.status >= 500 ? 'failed' : 'settled', refusal };
}

/** `recorded` and `duplicate` are the same to the app: the movement is there. */
const outcomeOf = ({ result, reason, field_code: fieldCode }: Record<string, string>): Outcome =>
  result === 'refused' ? { why: 'settled', refusal: { reason: reason ?? '', fieldCode } } : { why: 'settled' };
