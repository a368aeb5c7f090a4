import { randomBytes } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { PASSWORD } from '../support/password.js';
import { ownService } from '../support/services.js';
import { type Fields, Visitor } from './visitor.js';

/** A new order in steps, without a script. Each step has an address, and no typed text is lost. */

const service = await ownService();
const PAGE = '/envios/new-order';

const typed: Fields = {
  'pickups.0.address.postal_code': '01310-200',
  'pickups.0.address.address': 'Av. Paulista, 1578',
  'packages.0.address.postal_code': '01426000',
  'packages.0.address.address': 'Rua Oscar Freire, 300',
  'packages.0.recipient.name': 'Maria da Silva',
  'packages.0.recipient.phone': '+55 11 91234-5678',
  'packages.0.dimensions.width': '20',
  'packages.0.dimensions.height': '10,5',
  'packages.0.dimensions.length': '30',
  'packages.0.dimensions.weight': '1,2',
};

async function shipper() {
  const account = await service.customer();
  const visitor = new Visitor(service.url);
  const signIn = { email: account.email, password: PASSWORD };
  await visitor.signIn(signIn);
  return { ...account, visitor, signIn };
}

describe('the quote of an order', () => {
  test('has an address of its own, which contains none of its texts and shows it again', async () => {
    const { visitor } = await shipper();
    await visitor.get(PAGE);
    const { path, text } = await visitor.submit(PAGE, typed);
    expect(path).toMatch(/^\/envios\/new-order\?step=review&draft=[\w-]+$/);
    expect(text).toContain('Rua Oscar Freire, 300, São Paulo - SP, 01426-000');
    const ordered = await visitor.submit('/envios/orders');
    expect(ordered.path).toMatch(/^\/envios\/orders\/.*done=ordered$/);
    expect(await visitor.get(path)).toMatchObject({ status: 200, text: expect.stringContaining('Maria da Silva') });
  });

  test('is not shown to other accounts', async () => {
    const [one, other] = [await shipper(), await shipper()];
    await one.visitor.get(PAGE);
    const { path } = await one.visitor.submit(PAGE, typed);
    const seen = await other.visitor.get(path);
    expect([seen.status, seen.text.includes('Maria')]).toEqual([400, false]);
    expect((await one.visitor.get(`${path.slice(0, -5)}AAAAA`)).text).not.toContain('Maria');
  });

  test('leads back to the form with the typed texts', async () => {
    const { visitor } = await shipper();
    await visitor.get(PAGE);
    await visitor.submit(PAGE, typed);
    await visitor.submit(PAGE);
    expect(visitor.page.path).toMatch(/^\/envios\/new-order\?draft=/);
    expect(visitor.held(PAGE)).toMatchObject(typed);
  });

  test('of many long texts is shown without an address', async () => {
    const { visitor } = await shipper();
    await visitor.get(PAGE);
    const text = () => randomBytes(180).toString('base64url');
    const long = Array.from({ length: 20 }, (_, at) => ({
      [`packages.${at}.instructions`]: text(),
      [`packages.${at}.address.complement`]: text(),
    }));
    const fields: Fields = Object.assign({ count: '20', next: 'price' }, ...long);
    const { path } = await visitor.submit(PAGE, fields);
    expect([path, visitor.held(PAGE)['packages.19.instructions']]).toEqual([PAGE, fields['packages.19.instructions']]);
  });
});

describe('the form', () => {
  test('shows city and coverage of a CEP, and the price when the sizes are known', async () => {
    const { visitor } = await shipper();
    await visitor.get(PAGE);
    const codes = { 'pickups.0.address.postal_code': '01310-200', 'packages.0.address.postal_code': '66010-000' };
    const first = await visitor.submit(PAGE, { ...codes, next: 'price' });
    expect(first.text).toContain('Atendemos Belém – PA: Expressa, Econômica.');
    expect(first.text).toContain('Aparecem aqui assim que');
    const sizes = Object.entries(typed).filter(([name]) => name.includes('dimensions'));
    const second = await visitor.submit(PAGE, { ...Object.fromEntries(sizes), next: 'price' });
    expect(second.text).toMatch(/<strong>R\$\u00a0[\d,]+<\/strong>.*Econômica, chega até/s);
  });

  test('begins with the pickup and the box of the last order', async () => {
    const { visitor } = await shipper();
    await visitor.get(PAGE);
    await visitor.submit(PAGE, typed);
    await visitor.submit('/envios/orders');
    await visitor.get(PAGE);
    expect(visitor.held(PAGE)).toMatchObject({
      'pickups.0.address.address': 'Av. Paulista, 1578, São Paulo - SP, 01310-200',
      'packages.0.dimensions.height': '10,5',
      'packages.0.recipient.name': '',
      'packages.0.dimensions.weight': '',
    });
  });

  test('names the unit when a size is not a number', async () => {
    const { visitor } = await shipper();
    await visitor.get(PAGE);
    const wrong = { 'packages.0.dimensions.weight': 'leve', 'packages.0.dimensions.width': '' };
    const { text } = await visitor.submit(PAGE, { ...typed, ...wrong });
    expect(text).toContain('Peso: um número em kg, como 1,2');
    expect(text).toContain('Largura: um número em cm, como 20');
  });
});

describe('a quote without persons', () => {
  test('has an address that everybody of the account can open, and can begin an order', async () => {
    const { visitor } = await shipper();
    const query = 'from=01310-200&to=66010-000&width=20&height=10%2C5&length=30&weight=2';
    const { text } = await visitor.get(`/envios/quote?${query}`);
    expect(text).toMatch(/Expressa, chega até/);
    const [, href = ''] = /class="button" href="([^"]+)"/.exec(text) ?? [];
    await visitor.get(href.replaceAll('&amp;', '&'));
    expect(visitor.held(PAGE)).toMatchObject({
      'packages.0.address.postal_code': '66010-000',
      'packages.0.dimensions.height': '10,5',
    });
  });

  test.each([
    ['to=99999-999&weight=2', 'CEP de entrega: o CEP não é de nenhum município'],
    ['to=66010-000&weight=31', 'Peso: no máximo 30 kg'],
    ['to=66010-000&weight=2&value=1,349.90', 'pode ser 1349,90 ou 1,34990'],
    ['to=66010-000&weight=', 'Aparecem aqui assim que'],
  ])('names the error: %s', async (query, fault) => {
    const { visitor } = await shipper();
    const page = await visitor.get(`/envios/quote?from=01310-200&width=20&height=10&length=30&${query}`);
    expect([page.status, page.text]).toEqual([200, expect.stringContaining(fault)]);
  });
});

describe('after the session has ended', () => {
  const expired = (visitor: Visitor) => visitor.cookies.set('malote-session', 'a'.repeat(43));

  test.each([
    [PAGE, /\?draft=/],
    ['/envios/orders', /step=review&draft=/],
  ])('a form that was sent to %s is kept until the person has signed in', async (action, path) => {
    const { visitor, signIn } = await shipper();
    await visitor.get(PAGE);
    if (action !== PAGE) await visitor.submit(PAGE, typed);
    expired(visitor);
    const asked = await visitor.submit(action, action === PAGE ? typed : {});
    expect([asked.path, asked.text]).toEqual([
      expect.stringMatching(/^\/envios\/sign-in\?ended&back=/),
      expect.stringContaining('A sessão terminou'),
    ]);
    await visitor.submit('/envios/sign-in', { ...signIn, password: 'wrong password' });
    const seen = await visitor.submit('/envios/sign-in', signIn);
    expect([seen.path, seen.text]).toEqual([expect.stringMatching(path), expect.stringContaining('Maria da Silva')]);
  });

  test('the typed texts are not shown to another person who signs in', async () => {
    const [one, other] = [await shipper(), await shipper()];
    await one.visitor.get(PAGE);
    expired(one.visitor);
    await one.visitor.submit(PAGE, typed);
    const seen = await one.visitor.submit('/envios/sign-in', other.signIn);
    expect([seen.status, seen.text.includes('Maria')]).toEqual([200, false]);
  });
});

describe('signing in', () => {
  const signedInFrom = async (path: string) => {
    const { signIn } = await shipper();
    const visitor = new Visitor(service.url);
    await visitor.get(path);
    return (await visitor.submit('/envios/sign-in', signIn)).path;
  };

  test.each(['/envios/packages?search=Maria+Silva&status_code=6', '/envios/statements'])(
    'leads back to the requested page: %s',
    async (path) => {
      expect(await signedInFrom(path)).toBe(path);
    },
  );

  test.each([
    'https://evil.test/envios/',
    '//evil.test/envios/orders',
    '/\\evil.test/envios/',
    '\t//evil.test/envios/',
    '/envios/../console/users',
    '/envios/%2e%2e/auth/login',
    '/envios//../..//evil.test/',
    '/envios/sign-out',
    '/enviosx/orders',
    'javascript:alert(1)',
    '/envios/@evil.test/../../',
  ])('does not lead to another site: %s', async (back) => {
    expect(await signedInFrom(`/envios/sign-in?${new URLSearchParams({ back })}`)).toBe('/envios');
  });
});
