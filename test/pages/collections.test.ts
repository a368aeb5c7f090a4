import { describe, expect, test } from '@jest/globals';
import { placeOrder } from '../operator/fixtures.js';
import { must } from '../support/http.js';
import { PASSWORD } from '../support/password.js';
import { operatorLogin } from '../support/service.js';
import { ownService } from '../support/services.js';
import { Visitor } from './visitor.js';

/** Collection lists at `/envios` and at the console, without a script. */

const service = await ownService();
const ana = await service.customer();
const shipper = new Visitor(service.url);
await shipper.signIn({ email: ana.email, password: PASSWORD });
const operator = new Visitor(service.url);
await operator.signIn(operatorLogin);

const NEW = '/envios/collections/new';
const idIn = (path: string): string => /^\/envios\/collections\/([\da-f-]{36})/.exec(path)?.[1] ?? '';

async function listed(...orders: string[]) {
  await shipper.get(`${NEW}?${orders.map((id) => `order=${id}`).join('&')}`);
  await shipper.submit(NEW);
  const path = { id: idIn(shipper.page.path) };
  return must(await ana.rest.GET('/api/v1/collections/{id}', { params: { path } }));
}

const received = async (code: string) =>
  must(await service.operator.operator.GET('/operator/v1/collections/{code}', { params: { path: { code } } }));

describe('a shipper', () => {
  test('lists the packages of orders, prints the sheet and cancels the list', async () => {
    const [one, two] = [await placeOrder(ana, 2), await placeOrder(ana)];
    expect((await shipper.get('/envios/orders')).text).toContain(`formaction="${NEW}"`);
    expect((await shipper.get(`/envios/orders/${one.id}`)).text).toContain(`href="${NEW}?order=${one.id}"`);
    const list = await listed(one.id, two.id);
    const page = `/envios/collections/${list.id}`;
    expect(list).toMatchObject({ state: 'open', package_count: 3 });
    for (const text of [list.code, ...list.packages.map(({ tracking_code: code }) => code)])
      expect(shipper.page.text).toContain(text);
    const { headers, text } = await shipper.get(`${page}/sheet`);
    expect([headers.get('content-type'), text.slice(0, 5)]).toEqual(['application/pdf', '%PDF-']);
    expect((await shipper.get('/envios/collections?state=open')).text).toContain(`href="${page}"`);
    expect((await shipper.get('/envios/collections?state=received')).text).toContain('Nenhuma lista aqui');
    await shipper.end(`${page}/cancellation`);
    expect(shipper.page).toMatchObject({ path: `${page}?done=saved`, text: expect.stringContaining('Cancelada') });
    expect(shipper.page.text).not.toContain(`${page}/cancellation`);
  });

  test('reads why packages are not on a list, and returns to the orders when none is marked', async () => {
    const { id } = await placeOrder(ana);
    await listed(id);
    await shipper.get(`${NEW}?order=${id}`);
    const { status, text } = await shipper.submit(NEW);
    expect([status, text.includes('role="alert"')]).toEqual([409, true]);
    expect((await shipper.get(NEW)).path).toBe('/envios/orders');
  });
});

describe('an operator', () => {
  test('receives a list without its missing packages', async () => {
    const { id, packages } = await placeOrder(ana, 3);
    const { code } = await listed(id);
    const page = `/console/collections/${code}`;
    expect((await operator.get('/console/collections?state=open')).text).toContain(`href="${page}"`);
    await operator.get(page);
    const fields = { codes: `${packages[1]?.barcode}\n`, 'location.city': 'São Paulo', 'location.state': 'sp' };
    await operator.submit(`${page}/receipt`, fields);
    expect(operator.page).toMatchObject({ path: `${page}?done=saved`, text: expect.stringContaining('Recebida') });
    expect(operator.page.text).not.toContain('/receipt');
    const { receipt, packages: after } = await received(code);
    expect(receipt).toMatchObject({ collected: 2, missing: 1, location: { city: 'São Paulo', state: 'SP' } });
    expect(after.map(({ outcome }) => outcome)).toEqual(['collected', 'missing', 'collected']);
  });

  test('receives a list by scanned codes, which a refused form shows again', async () => {
    const { id, packages } = await placeOrder(ana, 2);
    const { code } = await listed(id);
    const page = `/console/collections/${code}`;
    const scanned = `${packages[0]?.tracking_code}, 378900000000000000`;
    await operator.get(page);
    await operator.submit(`${page}/receipt`, { codes: scanned, given: 'scanned', 'location.city': 'Santos' });
    expect(operator.page).toMatchObject({ status: 400, text: expect.stringContaining(`${scanned}</textarea>`) });
    await operator.submit(`${page}/receipt`, { codes: scanned, 'location.city': '' });
    const receipt = { collected: 1, missing: 1, extra_codes: ['378900000000000000'] };
    expect(await received(code)).toMatchObject({ state: 'received', receipt });
    expect(operator.page.text).toContain('378900000000000000');
  });

  test('may type codes with blanks, as the sheet prints them', async () => {
    const { id, packages } = await placeOrder(ana, 3);
    const { code } = await listed(id);
    const page = `/console/collections/${code}`;
    const [printed = '', ...others] = packages.map(({ tracking_code: each }) => each.replace(/.{4}(?=.)/g, '$& '));
    const [, , barcode = ''] = packages.map((each) => each.barcode);
    expect(printed).toContain(' ');
    await operator.get(page);
    await operator.submit(`${page}/receipt`, { codes: `${printed}\n${others[0]}, ${barcode}`, given: 'scanned' });
    expect((await received(code)).receipt).toMatchObject({ collected: 3, missing: 0, extra_codes: [] });
  });

  test('is refused when the form does not say what its codes mean', async () => {
    const { code } = await listed((await placeOrder(ana, 2)).id);
    const page = `/console/collections/${code}`;
    await operator.get(page);
    await operator.submit(`${page}/receipt`, { given: 'all' });
    expect([operator.page.status, operator.page.text]).toEqual([400, expect.stringContaining('id="given-error"')]);
    expect((await received(code)).state).toBe('open');
  });
});
