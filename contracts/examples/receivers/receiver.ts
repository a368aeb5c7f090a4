// A receiver of tracking updates. Node ≥ 20, nothing to install: npx tsx receiver.ts
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { createServer } from 'node:https';
import { text } from 'node:stream/consumers';

const setting = (name: string): string => {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set`);
  return value;
};
const port = Number(process.env['PORT'] ?? 8443);
const tls = { cert: readFileSync(setting('TLS_CERT')), key: readFileSync(setting('TLS_KEY')) };
const login = Buffer.from(`${setting('WEBHOOK_USERNAME')}:${setting('WEBHOOK_PASSWORD')}`).toString('base64');
// While a secret is being rotated, list both, separated by a space.
const keys = setting('WEBHOOK_SECRET').split(' ').map((secret) => Buffer.from(secret.replace('whsec_', ''), 'base64'));

const toleranceSeconds = 300;
const hash = (value: string) => createHash('sha256').update(value).digest();
const same = (one: string, other: string) => timingSafeEqual(hash(one), hash(other));

/** Basic, then the signature, over the bytes as they came, as https://www.standardwebhooks.com says. */
function isGenuine(headers: IncomingHttpHeaders, body: string): boolean {
  const [id, time, given] = ['id', 'timestamp', 'signature'].map((name) => String(headers[`webhook-${name}`]));
  if (!same(headers.authorization ?? '', `Basic ${login}`)) return false;
  if (!(Math.abs(Date.now() / 1000 - Number(time)) <= toleranceSeconds)) return false;
  const valid = keys.map((key) => `v1,${createHmac('sha256', key).update(`${id}.${time}.${body}`).digest('base64')}`);
  return (given ?? '').split(' ').some((signature) => valid.some((expected) => same(signature, expected)));
}

type Status = { code: number; highLevelStatus: string; actionRequired: object | null };
type Package = { loggiKey: string; requestTime: string; status: Status };

// The list of codes is open: one that this code does not know is shown by its name.
const meanings: Record<number, string> = { 5: 'delivered', 6: 'needs you', 8: 'returned', 11: 'out for delivery' };

// When the newest update of each package was recorded. A body that was sent again late must not overwrite a newer one.
const newest = new Map<string, string>();

function handle({ loggiKey, requestTime, status }: Package): void {
  // Not status.updatedTime: a delivery that is reported late is current, though it happened before other statuses.
  if (requestTime < (newest.get(loggiKey) ?? '')) return;
  newest.set(loggiKey, requestTime);
  console.log(`${loggiKey} ${status.code} ${meanings[status.code] ?? status.highLevelStatus}`);
}

// A body may come twice, under the same id. Keep the ids in your database, in the transaction that `handle` writes in.
const seen = new Set<string>();

async function answer(request: IncomingMessage): Promise<number> {
  const body = await text(request);
  if (request.method !== 'POST' || !isGenuine(request.headers, body)) return 401;
  const { packages }: { packages: Package[] } = JSON.parse(body);
  const id = String(request.headers['webhook-id']);
  if (!seen.has(id)) packages.forEach(handle);
  seen.add(id);
  return 200;
}

const server = createServer(tls, async (request, response) => {
  // What fails here is sent again later.
  response.writeHead(await answer(request).catch(() => 500)).end();
});
server.listen(port, () => console.log(`listening at ${port}`));
