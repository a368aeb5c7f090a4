import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { bodyOf, placeOrder } from '../operator/fixtures.js';
import { orderBody } from '../support/bodies.js';
import { sharedService } from '../support/services.js';
import { operatorOf, saying } from './malote.js';

const service = await sharedService();
const operator = operatorOf(service);

test('labels: of an order or of a package, to a file or to standard output', async () => {
  const order = await placeOrder(await service.customer(), 2);
  const file = join(operator.folder, 'labels.pdf');
  const written = await operator.run(`labels --order ${order.id} --layout a4 --output ${file}`);
  expect(written).toMatchObject(saying(/labels\.pdf: \d+ bytes\.\n$/, 0));
  expect((await readFile(file)).subarray(0, 5).toString()).toBe('%PDF-');
  const key = order.packages[0]?.loggi_key ?? '';
  const zpl = await operator.run(`labels --package ${key} --format zpl --output -`);
  expect(zpl).toMatchObject({ code: 0, out: expect.stringMatching(/^\^XA[\s\S]*\^XZ\n$/) });
});

test('labels: of several orders in one file, each by the name that people have for it', async () => {
  const customer = await service.customer();
  const [first, second] = [await placeOrder(customer), await placeOrder(customer, 2)];
  const external_id = randomUUID();
  const named = await bodyOf(customer.rest.POST('/api/v1/orders', { body: { ...orderBody(), external_id } }));
  const ids = [first.id, second.id, external_id].flatMap((id) => ['--order', id]);
  const { out } = await operator.run(['labels', ...ids, '--format', 'zpl', '--output', '-']);
  expect(out.match(/\^XA/g)).toHaveLength(4);
  for (const { packages } of [first, second, named]) for (const { barcode } of packages) expect(out).toContain(barcode);
});

test('labels: what is wrong is told', async () => {
  const order = await placeOrder(await service.customer());
  const [wanted, key] = [['labels', '--order', order.id], order.packages[0]?.loggi_key ?? ''];
  const run = async (...args: string[]) => {
    const { code, err } = await operator.run(args);
    return [code, err];
  };
  expect(await run(...wanted, '--package', key, '--output', '-')).toEqual([2, expect.stringContaining('either')]);
  expect(await run('labels', '--output', '-')).toEqual([2, expect.stringContaining('either')]);
  const contradicting = ['--format', 'zpl', '--layout', 'a4'];
  expect(await run(...wanted, ...contradicting, '--output', '-')).toEqual([1, expect.stringContaining('layout')]);
  const nowhere = join(operator.folder, 'missing', 'labels.pdf');
  expect(await run(...wanted, '--output', nowhere)).toEqual([2, expect.stringContaining('cannot be written')]);
});
