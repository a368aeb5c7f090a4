import { openSecrets } from '../../../src/deliveries/secrets.js';
import type { CheckingReceiver } from './checking-receiver.js';
import { seed } from './seed.js';
import type { Stage } from './stage.js';

/** An account's endpoint, and the packages that it is told of. */
export interface Endpoint {
  id: string;
  accountId: string;
  path: string;
  url: string;
  keys: string[];
}

/** Accounts with an endpoint at the receiver and packages each; the receiver knows the endpoints' secrets. */
export async function newEndpoints(
  { db, ring }: Stage,
  receiver: CheckingReceiver,
  { endpoints, packages = 1, movements = 1 }: { endpoints: number; packages?: number; movements?: number },
): Promise<Endpoint[]> {
  const urls = Array.from({ length: endpoints }, (_, number) => receiver.urlOf(number));
  await seed(db, ring, { urls, packages, movements });
  const rows = await db.selectFrom('webhook_endpoints').selectAll().where('url', 'in', urls).execute();
  const owned = await db
    .selectFrom('packages')
    .select(['loggi_key', 'account_id'])
    .where(
      'account_id',
      'in',
      rows.map((row) => row.account_id),
    )
    .orderBy('position')
    .execute();
  return rows.map(({ id, account_id: accountId, url, username, ...sealed }) => {
    const { password, signingSecrets } = openSecrets(ring, { id, ...sealed });
    const path = new URL(url).pathname;
    receiver.expect(path, { username, password, signingSecret: signingSecrets[0] ?? '' });
    const keys = owned.filter((row) => row.account_id === accountId).map((row) => row.loggi_key);
    return { id, accountId, path, url, keys };
  });
}
