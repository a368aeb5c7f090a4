import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createAccount } from '../../src/accounts/account.js';
import { PASSWORD, passwordHash } from '../support/password.js';
import { type Service, startService } from '../support/service.js';

let service: Service;

beforeAll(async () => {
  service = await startService({}, { worker: false });
});
afterAll(() => service.stop());

async function newOperator() {
  const email = `${randomUUID()}@malote.test`;
  const profile = { email, name: 'Olga', phone: '+55 11 91234-5678', role: 'operator', passwordHash } as const;
  const { id } = await createAccount(service.db, profile);
  return { id, email, password: PASSWORD };
}

test('whoever has only the password of an operator cannot get rid of its second factor', async () => {
  const victim = await newOperator();
  const factor = { account_id: victim.id, secret_sealed: Buffer.alloc(0), confirmed_at: new Date() };
  await service.db.insertInto('second_factors').values(factor).execute();

  const thief = await service.signIn(victim);
  const accomplice = {
    email: `${randomUUID()}@malote.test`,
    password: 'of the thief',
    name: 'X',
    phone: '+55 11 91234-5678',
  };
  await thief.rest.POST('/api/v1/users', { body: { ...accomplice, role: 'operator' } });
  const helper = await service.signIn(accomplice).catch(() => undefined);
  const params = { path: { id: victim.id } };
  await helper?.operator.DELETE('/operator/v1/users/{id}/second-factor', { params });

  const left = await service.db.selectFrom('second_factors').selectAll().where('account_id', '=', victim.id).execute();
  expect([helper, left]).toEqual([undefined, [expect.objectContaining({ account_id: victim.id })]]);
});
