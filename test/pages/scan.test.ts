import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { atPackage, movement, newPackages, record } from '../operator/fixtures.js';
import { must } from '../support/http.js';
import { operatorLogin } from '../support/service.js';
import { ownService } from '../support/services.js';
import { Visitor } from './visitor.js';

/** The page on which an operator scans many codes, used by its forms without a script. */

const service = await ownService();
const ana = await service.customer();
const visit = new Visitor(service.url);
await visit.signIn(operatorLogin);

const PAGE = '/console/scan';
const base = { status_code: '17', city: 'Campinas', state: 'sp' };

const tracked = async (key: string) =>
  must(await service.operator.operator.GET('/operator/v1/packages/{loggi_key}', atPackage(key)));

const outcomes = () =>
  [...visit.page.text.matchAll(/data-outcome="(\w+)".*?<span class="chip \w+">([^<]+)</gs)].map(([, ...said]) => said);

async function scan(...codes: string[]) {
  await visit.get(PAGE);
  const at = new Date().toISOString();
  const scans = codes.map((code) => `${randomUUID()} ${at} ${code}`).join('\n');
  return visit.submit(PAGE, { ...base, scans });
}

test('a typed code records a movement, and status and base stay chosen', async () => {
  const [key = ''] = await newPackages(ana, 1);
  const { tracking_code: code } = await tracked(key);
  await visit.get(PAGE);
  const form = { ...visit.held(PAGE), ...base, code };
  await visit.post(PAGE, form);
  expect(outcomes()).toEqual([['recorded', 'Registrado']]);
  expect(visit.held(PAGE)).toMatchObject({ ...base, code: '' });
  expect(await tracked(key)).toMatchObject({ status: { code: 17 }, location: { city: 'Campinas', state: 'SP' } });
  await visit.post(PAGE, form);
  expect(outcomes()).toEqual([['duplicate', 'Já lido']]);
  expect((await tracked(key)).movement_count).toBe(2);
});

test('a package is found by any of its codes in any spelling', async () => {
  const keys = await newPackages(ana, 3);
  const [one, other, third] = await Promise.all(keys.map(tracked));
  const written = [
    one?.barcode.replace(/(\d{6})/g, '$1 ') ?? '',
    other?.tracking_code.toLowerCase() ?? '',
    third?.loggi_key ?? '',
  ];
  await scan(...written);
  expect(outcomes()).toEqual(written.map(() => ['recorded', 'Registrado']));
  for (const key of keys) expect((await tracked(key)).status.code).toBe(17);
});

describe('a code that is refused', () => {
  test('does not prevent the other codes of its form from being recorded', async () => {
    const [open = '', ended = ''] = await newPackages(ana, 2);
    await record(service.operator, movement(ended, { status_code: 2 }));
    await scan('not a code', ended, '7ZK3M9P2QP1S', open, '');
    expect(outcomes()).toEqual([
      ['refused', 'Pacote desconhecido'],
      ['refused', expect.any(String)],
      ['refused', 'Pacote desconhecido'],
      ['recorded', 'Registrado'],
    ]);
    expect((await tracked(open)).status.code).toBe(17);
    expect((await tracked(ended)).status.code).toBe(2);
  });

  test('is refused when its status needs more than a code', async () => {
    const [key = ''] = await newPackages(ana, 1);
    await visit.get(PAGE);
    await visit.submit(PAGE, { ...base, status_code: '6', code: key });
    expect(outcomes()).toEqual([['refused', 'Esta situação pede mais dados: registre na página do pacote']]);
  });
});

test('a wrong base is refused beside its field, and records nothing', async () => {
  const [key = ''] = await newPackages(ana, 1);
  await visit.get(PAGE);
  const { status, text } = await visit.submit(PAGE, { ...base, state: 'X', code: key });
  expect(status).toBe(400);
  expect(text).toMatch(/href="#state">Estado: duas letras, como SP</);
  expect((await tracked(key)).movement_count).toBe(1);
});

test('the page offers no status that ends a package', async () => {
  const { text } = await visit.get(PAGE);
  expect(text).toContain('<option value="17">');
  expect(text).not.toContain('<option value="2">');
});
