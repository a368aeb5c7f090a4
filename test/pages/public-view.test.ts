import { describe, expect, test } from '@jest/globals';
import { trackPackage } from '../../src/packages/public-tracking.js';
import { createTrackingLinks } from '../../src/packages/tracking-links.js';
import { codesIn, printedPdf, printedZpl } from '../labels/pictures.js';
import { agency, atPackage, bodyOf, movement, resultsOf } from '../operator/fixtures.js';
import { orderBody } from '../support/bodies.js';
import { ownService } from '../support/services.js';
import { ring } from '../webhook/support.js';
import { reason } from './tracked.js';

/** The public view of a package, which the QR code of its label opens. */

const service = await ownService();
const customer = await service.customer();
const { operator } = service.operator;
const LINK = '/operator/v1/packages/{loggi_key}/tracking-link';

const get = (path: string, headers: Record<string, string> = {}) => fetch(`${service.url}${path}`, { headers });
const page = async (path: string, language = 'pt-BR') => (await get(path, { 'Accept-Language': language })).text();
const api = (path: string): string => path.replace('/t/', '/api/v1/tracking/');

async function labelOf(key: string, format: 'pdf' | 'zpl'): Promise<Buffer> {
  const headers = { Authorization: `Bearer ${customer.token}` };
  return Buffer.from(await (await get(`/api/v1/packages/${key}/label?format=${format}`, headers)).arrayBuffer());
}

/** The path in the QR code of a label. Undefined if the label has no QR code. */
async function scanned(key: string, format: 'pdf' | 'zpl' = 'pdf'): Promise<string | undefined> {
  const file = await labelOf(key, format);
  const picture = format === 'pdf' ? (await printedPdf(file))[0]?.picture : await printedZpl(file);
  const codes = picture ? await codesIn(picture) : [];
  const url = codes.find((code) => code.startsWith('ZBAR_QRCODE '))?.split(' ')[1];
  return url && new URL(url).pathname;
}

/** Makes a package with all personal fields. */
async function personalPackage() {
  const order = orderBody({
    recipient: { name: 'Quirino Zuleide', phone: '+55 21 97777-1234', tax_id: '529.982.247-25' },
    address: {
      address: 'Rua dos Pinheiros, 498 - Pinheiros, São Paulo - SP, 05422-000',
      complement: 'Edifício Xangri',
    },
    instructions: 'Chamar o zelador Wenceslau.',
    fiscal_document: { kind: 'none', reason: 'Doação ao asilo Yolanda' },
    delivery_pin: true,
  });
  const { packages } = await bodyOf(customer.rest.POST('/api/v1/orders', { body: order }));
  const [parcel] = packages;
  return { key: parcel?.loggi_key ?? '', own: new URL(parcel?.tracking_url ?? '').pathname, pin: parcel?.delivery_pin };
}

/** A text without tracking codes and times, because these may contain any digits. */
const wordsIn = (text: string): string =>
  text.replace(/\b[0-9A-HJKMNP-TV-Z]{12}\b/g, '').replace(/\d\d:\d\d:\d\d\.\d+Z/g, '');

const newPackage = async () => {
  const { key, own } = await personalPackage();
  return { key, own, open: (await scanned(key)) ?? '' };
};

/** Words of a person or a street. Only the last five may be on the recipient's own page. */
const personal = [
  ...['Quirino', 'Zuleide', '97777', '52998224725', '529.982', 'Pinheiros', '498', '05422', 'Xangri', 'Wenceslau'],
  ...['Doação', 'Yolanda', 'Paulista', '1578', '01310', '98888-7777', '4821'],
  ...['Ubirajara Neto', 'Ana Souza', 'Q. Z.', reason.reason_label, agency.address],
];

describe('the QR code of a label', () => {
  test.each(['pdf', 'zpl'] as const)('of %s opens the public view, not the recipient’s own page', async (format) => {
    const { key, own } = await newPackage();
    const path = (await scanned(key, format)) ?? '';
    expect(path).toMatch(/^\/t\/[\w-]{52}$/);
    expect(path).not.toBe(own);
    const [forAll, forRecipient] = [await page(path), await page(own)];
    expect(forAll).toContain('Esta página é pública');
    expect(forRecipient).not.toContain('Esta página é pública');
    expect(await page(path, 'en')).toContain('This page is public');
  });

  test('changes when the link is renewed, and is missing while it is revoked', async () => {
    const { key, own, open } = await newPackage();
    const statuses = async () => [(await get(own)).status, (await get(open)).status, (await get(api(open))).status];
    expect(await statuses()).toEqual([200, 200, 200]);
    await bodyOf(operator.POST(LINK, atPackage(key)));
    expect(await statuses()).toEqual([404, 404, 404]);
    const renewed = (await scanned(key)) ?? '';
    expect([renewed === open, (await get(renewed)).status]).toEqual([false, 200]);
    await operator.DELETE(LINK, atPackage(key));
    expect([await scanned(key), (await get(renewed)).status]).toEqual([undefined, 404]);
  });
});

test('the public view shows where a package is and when it comes, and never anything about people', async () => {
  const { key, own, pin = '' } = await personalPackage();
  const open = (await scanned(key)) ?? '';
  const delivered = { pin, proof: { recipient_name: 'Ubirajara Neto', recipient_document: '4821' } };
  const steps = [
    [6, { action_required: reason }],
    [10, { pickup_agency: agency }],
    [11, { location: { city: 'Campinas', state: 'SP' } }],
    [5, delivered],
  ] as const;
  const shownToRecipient = new Set<string>();
  for (const [status_code, facts] of steps) {
    expect(await resultsOf(service.operator, movement(key, { status_code, ...facts }))).toEqual(['recorded']);
    const [answer, forRecipient] = [await (await get(api(open))).json(), await page(own)];
    for (const text of [await page(open), await page(open, 'en'), JSON.stringify(answer)]) {
      for (const word of [...personal, pin]) expect(wordsIn(text)).not.toContain(word);
      expect(text).toContain('São Paulo');
    }
    expect(Object.keys(answer).sort()).toEqual(['destination', 'history', 'promised_date', 'stage', 'tracking_code']);
    for (const word of personal) if (wordsIn(forRecipient).includes(word)) shownToRecipient.add(word);
  }
  expect([...shownToRecipient].sort()).toEqual(personal.slice(-5).sort());
  const html = await page(open);
  for (const shown of ['Entregue', 'Campinas – SP']) expect(html).toContain(shown);
  const { data: tracked } = await operator.GET('/operator/v1/packages/{loggi_key}', atPackage(key));
  expect(JSON.stringify(tracked)).toMatch(/Quirino Zuleide.*Xangri/);
});

test('the public view promises no date and gives no advice while a package is held up or waits', async () => {
  const { key, open } = await newPackage();
  expect(await page(open)).toContain('Previsão de entrega');
  for (const [status_code, facts] of [
    [6, { action_required: reason }],
    [10, { pickup_agency: agency }],
  ] as const) {
    await resultsOf(service.operator, movement(key, { status_code, ...facts }));
    expect(await page(open)).not.toMatch(/Previsão de entrega|class="advice"/);
  }
});

test('an unknown and a revoked token get the same answer from page, events and operation', async () => {
  const { key, own, open } = await newPackage();
  await operator.DELETE(LINK, atPackage(key));
  const unknown = `/t/${'A'.repeat(52)}`;
  const essence = async (path: string, method = 'GET') => {
    const answer = await fetch(`${service.url}${path}`, { method });
    const body = await answer.text();
    return [answer.status, answer.headers.get('cache-control'), body.replaceAll(/"request_id":"[^"]*"/g, '')];
  };
  const end = async (path: string) => [
    await essence(path),
    await essence(api(path)),
    await essence(`${path}/events`),
    await essence(`${path}/events`, 'HEAD'),
  ];
  const refused = await end(unknown);
  expect(refused.map(([status]) => status)).toEqual([404, 404, 404, 404]);
  for (const path of [own, open, '/t/none']) expect(await end(path)).toEqual(refused);
});

test('an unknown token costs no look-up, and a revoked token costs one that reads no row', async () => {
  const { key } = await newPackage();
  const reader = { trackingLinks: createTrackingLinks('', ring), encryptionKeys: ring };
  const tokenOf = (trackingLink: number) =>
    reader.trackingLinks.urlOf({ loggiKey: key, trackingLink }, 'public')?.slice(3) ?? '';
  const results: unknown[] = [];
  const db = service.db.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      results.push(result.rows);
      return result;
    },
  });
  for (const token of [tokenOf(1), 'A'.repeat(52), 'none'])
    expect(await trackPackage(db, reader, token)).toBeUndefined();
  expect(results).toEqual([[{ tracked: null }]]);
  expect(await trackPackage(db, reader, tokenOf(0))).toMatchObject({ stage: 'created', own: null });
});
