import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { labelsBounds, labelsGate } from '../../src/labels/print.js';
import { eraseRecipients } from '../../src/orders/erase-recipients.js';
import { codesIn, printedPdf, printedZpl } from '../labels/pictures.js';
import { at, movement, placeOrder, resultsOf } from '../operator/fixtures.js';
import { orderBody, packageBody } from '../support/bodies.js';
import { type Gate, gateOf } from '../support/gate.js';
import { ask, must } from '../support/http.js';
import { waitFor } from '../support/receiver.js';
import type { Caller } from '../support/service.js';
import { ownService } from '../support/services.js';
import { ring } from '../webhook/support.js';

const service = await ownService({ PUBLIC_URL: 'https://malote.example' });
const ana = await service.customer();

const placed = (packages: number, by = ana) => placeOrder(by, packages);
const cancel = (key = '') => resultsOf(service.operator, movement(key, { status_code: 2 }));

/** A link to the public view (test/pages/public-view.test.ts). */
const PUBLIC_LINK = /^ZBAR_QRCODE https:\/\/malote\.example\/t\/[\w-]{52}$/;
const codesOf = (barcode = '') => [`ZBAR_CODE128 ${barcode}`, expect.stringMatching(PUBLIC_LINK)];

const labelPath = (key: string): string => `/api/v1/packages/${key}/label`;

async function fileAt(path: string, token = ana.token) {
  const response = await fetch(service.url + path, { headers: { Authorization: `Bearer ${token}` } });
  const { headers, status } = response;
  const told = [status, headers.get('content-type'), headers.get('content-disposition')];
  return { told, bytes: Buffer.from(await response.arrayBuffer()) };
}

const refusalOf = async (path: string, token = ana.token) => {
  const { status, text } = await ask(service.url, 'GET', path, { token });
  const { error } = JSON.parse(text);
  return [status, error.code, ...error.details.map(({ field }: { field: string }) => field)].join(' ');
};

test('the label of a package has codes that lead to the package, and names its sender without a phone', async () => {
  const { packages } = await placed(2);
  const [, last] = packages;
  const { told, bytes } = await fileAt(labelPath(last?.loggi_key ?? ''));
  expect(told).toEqual([200, 'application/pdf', `inline; filename="label-${last?.barcode}.pdf"`]);
  const [page, ...more] = await printedPdf(bytes);
  expect(more).toEqual([]);
  expect(page && (await codesIn(page.picture))).toEqual(codesOf(last?.barcode));
  const people = ['Ana Souza', 'Av. Paulista, 1578', 'Bruno Lima', 'Rua dos Pinheiros, 498', 'ap 12', '05422-000'];
  for (const text of people) expect(page?.text).toContain(text);
  expect(page?.text).not.toContain('98888');
});

test('a label says which volume it is, and has the fiscal key that volumes share', async () => {
  const key = '352609ABCDEFGHIJKL80550010000012341123456784';
  const other = { ...packageBody, recipient: { name: 'Carla Dias', phone: '+55 11 98888-7777' } };
  const invoiced = { ...packageBody, fiscal_document: { kind: 'nfe' as const, key } };
  const packages = [invoiced, packageBody, other, invoiced, packageBody, invoiced];
  const order = must(await ana.rest.POST('/api/v1/orders', { body: { ...orderBody(), packages } }));
  await cancel(order.packages[3]?.loggi_key);
  const pages = await printedPdf((await fileAt(`/api/v1/orders/${order.id}/labels`)).bytes);
  const found = pages.map(async ({ text, picture }) => {
    const document = /NF-e nº \d+/.exec(text)?.[0];
    return [/VOLUME (\d de \d)/.exec(text)?.[1], document, (await codesIn(picture)).includes(`ZBAR_CODE128 ${key}`)];
  });
  const volumes = [
    ['1 de 2', 'NF-e nº 1234', true],
    ['1 de 2', undefined, false],
    ['1 de 1', undefined, false],
    ['2 de 2', undefined, false],
    ['2 de 2', 'NF-e nº 1234', true],
  ];
  expect(await Promise.all(found)).toEqual(volumes);
  const [alone] = await printedPdf((await fileAt(labelPath(order.packages[5]?.loggi_key ?? ''))).bytes);
  expect(alone?.text).toContain('VOLUME 2 de 2');
});

test('the labels of several orders come in the order of the list, each order once, and only of the own account', async () => {
  const orders = [await placed(2), await placed(1), await placed(1)];
  const [first, , last] = orders.map(({ id }) => id);
  const path = (ids: unknown[]) => `/api/v1/labels/${ids.join()}`;
  const wanted = [...orders.map(({ id }) => id).reverse(), first?.toUpperCase(), last];
  const { told, bytes } = await fileAt(`${path(wanted)}?format=zpl`);
  expect(told).toEqual([200, 'application/zpl', 'inline; filename="labels.zpl"']);
  const barcodes = [...bytes.toString().matchAll(/\b\d{18}\b/g)].map(([code]) => code);
  const packages = [...orders].reverse().flatMap((order) => order.packages);
  expect([...new Set(barcodes)]).toEqual(packages.map(({ barcode }) => barcode));
  expect(bytes.toString().match(/\^XA/g)).toHaveLength(4);
  const foreign = await placed(1, await service.customer());
  expect(await refusalOf(path([first, foreign.id]))).toBe('404 NOT_FOUND');
  expect(await refusalOf(path(Array.from({ length: 51 }, () => first)))).toBe('400 VALIDATION_ERROR order_ids');
  const large = [await placed(100), await placed(100)];
  expect(await refusalOf(path([...large.map(({ id }) => id), last]))).toBe('400 VALIDATION_ERROR order_ids');
});

test('the labels of several orders can be limited to some of their packages', async () => {
  const [one, other] = [await placed(3), await placed(2)];
  const wanted = [one.packages[1], other.packages[0]];
  const path = (keys: unknown[]) => `/api/v1/labels/${one.id},${other.id}?format=zpl&loggi_keys=${keys.join()}`;
  const { bytes } = await fileAt(path(wanted.map((each) => each?.loggi_key.toUpperCase())));
  const barcodes = [...bytes.toString().matchAll(/\b\d{18}\b/g)].map(([code]) => code);
  expect([...new Set(barcodes)]).toEqual(wanted.map((each) => each?.barcode));
  const elsewhere = (await placed(1)).packages[0]?.loggi_key;
  expect(await refusalOf(path([wanted[0]?.loggi_key, elsewhere]))).toBe('404 NOT_FOUND');
});

test('the labels of an order come one a page, four on A4, or as ZPL', async () => {
  const { id, packages } = await placed(5);
  const path = `/api/v1/orders/${id}/labels`;
  const codes = packages.map(({ barcode }) => `ZBAR_CODE128 ${barcode}`).sort();
  const barcodes = async (bytes: Buffer) => {
    const pages = await Promise.all((await printedPdf(bytes)).map(({ picture }) => codesIn(picture)));
    const all = pages.flat().filter((code) => code.startsWith('ZBAR_CODE128'));
    return [pages.length, all.sort()];
  };
  const single = await fileAt(path);
  expect(single.told).toEqual([200, 'application/pdf', `inline; filename="labels-${id}.pdf"`]);
  expect(await barcodes(single.bytes)).toEqual([5, codes]);
  expect(await barcodes((await fileAt(`${path}?layout=a4`)).bytes)).toEqual([2, codes]);
  const zpl = await fileAt(`${path}?format=zpl`);
  expect(zpl.told).toEqual([200, 'application/zpl', `inline; filename="labels-${id}.zpl"`]);
  expect(zpl.bytes.toString().match(/\^XA/g)).toHaveLength(5);
  expect(await codesIn(await printedZpl(zpl.bytes))).toEqual(codesOf(packages[0]?.barcode));
});

test('the label of a package with a first day tells the courier that day, in both formats', async () => {
  const deliver_from = new Date(Date.now() + 20 * 86_400_000).toISOString().slice(0, 10);
  const [, month, day] = deliver_from.split('-');
  const { packages } = await placeOrder(ana, 1, { deliver_from });
  const path = labelPath(packages[0]?.loggi_key ?? '');
  const text = `ENTREGAR A PARTIR DE ${day}/${month}`;
  const { bytes } = await fileAt(path);
  const [page] = await printedPdf(bytes);
  expect(page?.text).toContain(text);
  expect(page && (await codesIn(page.picture))).toEqual(codesOf(packages[0]?.barcode));
  expect((await fileAt(`${path}?format=zpl`)).bytes.toString().replaceAll('_2F', '/')).toContain(text);
  const [plain] = await printedPdf((await fileAt(labelPath((await placed(1)).packages[0]?.loggi_key ?? ''))).bytes);
  expect(plain?.text).not.toContain('ENTREGAR');
});

test('A4 is for PDF, and any undocumented value is refused', async () => {
  const { id } = await placed(1);
  const path = `/api/v1/orders/${id}/labels`;
  expect(await refusalOf(`${path}?format=zpl&layout=a4`)).toBe('400 VALIDATION_ERROR layout');
  expect(await refusalOf(`${path}?format=png`)).toBe('400 VALIDATION_ERROR format');
  expect((await fileAt(`${path}?format=zpl&layout=100x150`)).told[0]).toBe(200);
});

test('cancelled packages get no label, and the other packages of the order do', async () => {
  const { id, packages } = await placed(2);
  const [first, second] = packages.map(({ loggi_key }) => loggi_key);
  await cancel(first);
  expect(await refusalOf(labelPath(first ?? ''))).toBe('409 CONFLICT');
  expect((await fileAt(labelPath(second ?? ''))).told[0]).toBe(200);
  const path = `/api/v1/orders/${id}/labels`;
  expect((await fileAt(`${path}?format=zpl`)).bytes.toString().match(/\^XA/g)).toHaveLength(1);
  must(await ana.rest.PUT('/api/v1/orders/{id}/status', { ...at(id), body: { status: 'cancelled' } }));
  expect(await refusalOf(path)).toBe('409 CONFLICT');
});

test('erased recipients are not printed', async () => {
  const bia = await service.customer();
  const { id, packages } = await placed(1, bia);
  must(await service.operator.rest.PUT('/api/v1/orders/{id}/status', { ...at(id), body: { status: 'completed' } }));
  for await (const _ of eraseRecipients(service.db, ring, {
    before: new Date(Date.now() + 60_000),
    lostAfterDays: 90,
  }));
  expect(await refusalOf(`/api/v1/orders/${id}/labels`, bia.token)).toBe('409 CONFLICT');
  expect(await refusalOf(labelPath(packages[0]?.loggi_key ?? ''), bia.token)).toBe('409 CONFLICT');
});

describe('when as many label files are being made as may be at once', () => {
  let gate: Gate;
  let places: Promise<void>[];
  beforeEach(() => {
    gate = gateOf();
    places = [];
  });
  afterEach(async () => {
    gate.open();
    await Promise.all(places);
  });

  /** Fills places of the gate, working or waiting, until the test opens `gate`. */
  function hold(count: number, owner: string): void {
    for (let place = 0; place < count; place += 1)
      places.push(labelsGate.pass(owner, new AbortController().signal, gate.passed));
  }

  /** An unknown order would be 404. A refusal with another status shows that nothing was read. */
  const path = `/api/v1/orders/${crypto.randomUUID()}/labels`;

  async function answerOf(caller: Caller) {
    const { status, text, headers } = await ask(service.url, 'GET', path, { token: caller.token });
    return [status, JSON.parse(text).error.reason, headers.get('retry-after')];
  }

  test('an account that has too many is refused with 429, and others are served', async () => {
    hold(1 + labelsBounds.maxWaitingOfOwner, ana.id);
    expect(await answerOf(ana)).toEqual([429, 'labels_in_flight', '1']);
    expect(await refusalOf(labelPath(crypto.randomUUID()))).toBe('429 RATE_LIMITED');
    expect((await answerOf(service.operator))[0]).toBe(404);
    gate.open();
    await Promise.all(places);
    expect((await answerOf(ana))[0]).toBe(404);
  });

  test('all accounts are refused with 503 if all together have too many', async () => {
    const { atOnce, maxWaiting, maxWaitingOfOwner } = labelsBounds;
    for (let owner = 0; owner < atOnce; owner += 1) hold(1 + maxWaitingOfOwner, `owner ${owner}`);
    expect(atOnce * maxWaitingOfOwner).toBe(maxWaiting);
    for (const caller of [ana, service.operator])
      expect(await answerOf(caller)).toEqual([503, 'labels_in_flight', '1']);
  });

  test('a client that leaves gives its place to another', async () => {
    hold(labelsBounds.maxWaitingOfOwner, ana.id);
    /** True while one more of the account could wait. */
    async function hasRoom(): Promise<boolean> {
      const leaving = new AbortController();
      const place = labelsGate.pass(ana.id, leaving.signal, async () => undefined);
      leaving.abort(new Error('gone'));
      return place.then(
        () => true,
        (error: Error) => error.message === 'gone',
      );
    }
    const leaving = new AbortController();
    const headers = { Authorization: `Bearer ${ana.token}` };
    const answer = fetch(service.url + path, { headers, signal: leaving.signal });
    await waitFor(async () => !(await hasRoom()), 'the request in the line');
    leaving.abort();
    await expect(answer).rejects.toThrow('aborted');
    await waitFor(hasRoom, 'its place');
  });
});
