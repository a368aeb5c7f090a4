import { setTimeout as sleep } from 'node:timers/promises';
import { beforeAll, expect, test } from '@jest/globals';
import { deleteAccount } from '../../src/accounts/delete-account.js';
import { createOperatorKey, getOperatorKey } from '../../src/accounts/operator-keys.js';
import type { Actor } from '../../src/base/actor.js';
import type { Db } from '../../src/db/connect.js';
import { ownDatabase } from '../support/services.js';
import { actorOf, makeAccount } from './accounts-fixtures.js';

const database = await ownDatabase();
let deleter: Actor;

beforeAll(async () => {
  deleter = actorOf(await makeAccount(database.db, { role: 'operator' }));
});

const newKey = { name: 'Scanner', scope: 'all', expiresAt: new Date('2099-01-01'), withFactor: false } as const;
const make = (db: Db, createdBy: string) => createOperatorKey(db, { ...newKey, createdBy });

/** Runs `second` while `first` is done but not committed; both have ended then. */
async function whileUncommitted<T>(first: (trx: Db) => Promise<unknown>, second: () => Promise<T>) {
  let later: Promise<PromiseSettledResult<T>[]> | undefined;
  await database.db.transaction().execute(async (trx) => {
    await first(trx);
    later = Promise.allSettled([second()]);
    await sleep(150);
  });
  return (await later)?.[0];
}

test('a key that is made while its maker is being deleted is revoked with the others', async () => {
  const maker = await makeAccount(database.db, { role: 'operator' });
  let id = '';
  const deletion = await whileUncommitted(
    async (trx) => {
      id = (await make(trx, maker.id)).key.id;
    },
    () => deleteAccount(database.db, deleter, maker.id),
  );
  expect(deletion?.status).toBe('fulfilled');
  expect(await getOperatorKey(database.db, id)).toMatchObject({ revokedAt: expect.any(Date) });
});

test('no key is made once the deletion of its maker has begun', async () => {
  const maker = await makeAccount(database.db, { role: 'operator' });
  const creation = await whileUncommitted(
    (trx) => deleteAccount(trx, deleter, maker.id),
    () => make(database.db, maker.id),
  );
  expect(creation).toMatchObject({ status: 'rejected', reason: { code: 'FORBIDDEN' } });
});
