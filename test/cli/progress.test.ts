import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { bodyOf, movement, newPackage } from '../operator/fixtures.js';
import { waitFor } from '../support/receiver.js';
import { sharedService } from '../support/services.js';
import { operatorOf } from './malote.js';

const service = await sharedService();
const operator = operatorOf(service);

async function newEndpoint(): Promise<string> {
  const { id: user_id } = await service.customer();
  const body = { user_id, url: 'https://127.0.0.1:8443/hook', username: 'malote', password: 's3cr3t' };
  return (await bodyOf(service.operator.operator.POST('/operator/v1/webhook-endpoints', { body }))).endpoint.id;
}

const replay = (id: string) => operator.watch(`endpoints replay ${id} --dead-letters --wait`);
const testBody = (id: string) =>
  bodyOf(service.operator.operator.POST('/operator/v1/webhook-endpoints/{id}/test', { params: { path: { id } } }));

test('a replay that is waited for draws a bar, and ends when nothing waits', async () => {
  const id = await newEndpoint();
  const sent: string[] = [];
  for (let request = 0; request < 4; request += 1) sent.push((await testBody(id)).webhook_id);
  const remove = (ids: readonly string[]) =>
    service.db.deleteFrom('webhook_requests').where('webhook_id', 'in', ids).execute();
  const { code, drawn } = replay(id);
  await waitFor(() => drawn().includes(' 0%'), 'the bar');
  await remove(sent.slice(0, 1));
  await waitFor(() => drawn().includes(' 25%  3 wait'), 'the bar');
  await remove(sent);
  expect(await code).toBe(0);
});

test('a replay that is waited for fails when the endpoint is disabled', async () => {
  const id = await newEndpoint();
  await testBody(id);
  const { code, drawn } = replay(id);
  await waitFor(() => drawn().includes(' 0%'), 'the bar');
  await service.operator.operator.POST('/operator/v1/webhook-endpoints/{id}/disable', { params: { path: { id } } });
  expect(await code).toBe(1);
  expect(drawn()).toContain('The endpoint is disabled');
});

test('the import of a file draws a bar; a file that is not there is wrong usage', async () => {
  const file = join(operator.folder, 'movements.ndjson');
  const line = JSON.stringify(movement(await newPackage(await service.customer())));
  await writeFile(file, `${line}\n`.repeat(1_000));
  const { code, drawn } = operator.watch(`movements record --file ${file}`);
  await waitFor(() => /\d% {2}\d+ movements/.test(drawn()), 'the bar');
  expect(await code).toBe(0);
  expect(await operator.watch(['movements', 'record', '--file', join(operator.folder, 'none.csv')]).code).toBe(2);
});
