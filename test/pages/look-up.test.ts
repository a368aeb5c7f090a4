import { describe, expect, test } from '@jest/globals';
import { lookUpPackage } from '../../src/packages/public-tracking.js';
import { ownService } from '../support/services.js';
import { packageMaker } from './tracked.js';

/** `/rastreio`: a tracking code and the CEP of the delivery open the public view. */

const service = await ownService({ TRUST_PROXY: '1' });
const newPackage = await packageMaker(service);
const CEP = '05422-000';

function lookUp(query: Record<string, string>, address = '192.0.2.1', url = service.url) {
  const headers = { 'X-Forwarded-For': address };
  return fetch(`${url}/rastreio?${new URLSearchParams(query)}`, { headers, redirect: 'manual' });
}

const page = async (path: string) => (await fetch(`${service.url}${path}`)).text();

/** The parts of an answer in which two failed look-ups could differ. */
async function essence(answer: Response, code: string) {
  const text = (await answer.text()).replaceAll(code, '');
  return [answer.status, answer.headers.get('cache-control'), answer.headers.get('location'), text];
}

test('a code and a CEP in any spelling open the public view', async () => {
  const { code, path } = await newPackage();
  for (const query of [
    { code, cep: CEP },
    { code: ` ${code.toLowerCase()} `, cep: '05422000' },
  ]) {
    const answer = await lookUp(query);
    expect(answer.status).toBe(303);
    const target = answer.headers.get('location') ?? '';
    expect(target).toMatch(/^\/t\/[\w-]{52}$/);
    expect(target).not.toBe(path);
    const html = await page(target);
    expect(html).toContain('Esta página é pública');
    expect(html).not.toContain('B. L.');
  }
});

test.each(['5422000', 'O5422-000', ' 05422–000 '])(
  'a package is found by its CEP in another spelling: %s',
  async (cep) => {
    const { code } = await newPackage();
    expect((await lookUp({ code, cep })).status).toBe(303);
  },
);

test.each(['5422-000', '05422–000', 'O5422-000', '０５４２２０００'])(
  'a package is found when its address has the CEP in another spelling: %s',
  async (written) => {
    const address = { address: `Rua dos Pinheiros, 498 - Pinheiros, São Paulo - SP, ${written}` };
    const { code } = await newPackage({ address });
    expect((await lookUp({ code, cep: CEP })).status).toBe(303);
  },
);

test('the form works without a script, and is filled in with the code in its address', async () => {
  const html = await page('/rastreio?code=7ZK3%22M9P2QP1S');
  expect(html).not.toContain('<script');
  expect(html).toMatch(/<form[^>]* action="\/rastreio"/);
  expect(html).toContain('value="7ZK3&quot;M9P2QP1S"');
  expect(html).toMatch(/<input [^>]*name="cep"/);
});

test('a wrong CEP, an unknown code, a revoked link and an ended link get the same answer', async () => {
  const [wrong, revoked, ended] = [await newPackage(), await newPackage(), await newPackage()];
  await revoked.revoke();
  await ended.move(5);
  await service.db
    .updateTable('packages')
    .set({ status_since: '2020-01-01' })
    .where('loggi_key', '=', ended.key)
    .execute();
  const unknown = 'ZZZZZZZZZZZZ';
  const miss = await essence(await lookUp({ code: unknown, cep: CEP }), unknown);
  expect(miss.slice(0, 3)).toEqual([404, 'no-store', null]);
  expect(miss[3]).toContain('Não encontramos um pacote');
  const others = [
    [wrong.code, '01310-200'],
    [revoked.code, CEP],
    [ended.code, CEP],
    ['none', CEP],
    [unknown, 'none'],
  ] as const;
  for (const [code, cep] of others) expect(await essence(await lookUp({ code, cep }), code)).toEqual(miss);
  expect((await lookUp({ code: wrong.code, cep: CEP })).status).toBe(303);
});

test('a wrong CEP and an unknown code cost the same look-up', async () => {
  const { code } = await newPackage();
  const queries: unknown[] = [];
  const db = service.db.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      queries.push(result.rows);
      return result;
    },
  });
  for (const label of [
    { trackingCode: code, postalCode: '01310200' },
    { trackingCode: 'ZZZZZZZZZZZZ', postalCode: '05422000' },
  ])
    expect(await lookUpPackage(db, label)).toBeUndefined();
  expect(queries).toEqual([[], []]);
});

describe('guesses are bounded', () => {
  const statusesOf = async (
    count: number,
    query: (at: number) => Record<string, string>,
    address: (at: number) => string,
  ) => {
    const statuses: number[] = [];
    for (let at = 0; at < count; at += 1) statuses.push((await lookUp(query(at), address(at))).status);
    return statuses;
  };

  const guessOf = (code: string) => (at: number) => ({ code, cep: String(10_000_000 + at) });
  const codeOf = async (of: string) => (of === 'a package' ? (await newPackage()).code : 'YYYYYYYYYYYY');

  test.each(['a package', 'no package'])(
    'by code and address: after ten for %s even the right one is refused',
    async (of) => {
      const code = await codeOf(of);
      const guesses = await statusesOf(11, guessOf(code), () => '198.51.100.254');
      expect(guesses).toEqual([...Array(10).fill(404), 429]);
      const refused = await lookUp({ code, cep: CEP }, '198.51.100.254');
      expect([refused.status, Number(refused.headers.get('retry-after')) > 0]).toEqual([429, true]);
      expect(await refused.text()).toContain('<h1>');
      const other = await newPackage();
      expect((await lookUp({ code: other.code, cep: CEP }, '198.51.100.254')).status).toBe(303);
    },
  );

  test('by code and address: wrong guesses from one address do not lock the code for others', async () => {
    const { code } = await newPackage();
    await statusesOf(11, guessOf(code), () => '198.51.100.253');
    expect((await lookUp({ code, cep: CEP }, '203.0.113.9')).status).toBe(303);
  });

  test.each(['a package', 'no package'])('by code: at a hundred for %s from all addresses together', async (of) => {
    const code = await codeOf(of).then((some) => some.replace(/^Y/, 'Z'));
    const guesses = await statusesOf(101, guessOf(code), (at) => `198.51.100.${Math.floor(at / 5)}`);
    expect(guesses).toEqual([...Array(100).fill(404), 429]);
    expect((await lookUp({ code, cep: CEP }, '203.0.113.9')).status).toBe(429);
  });

  test('by address: at fifty codes; right guesses do not count', async () => {
    const { code } = await newPackage();
    const right = () => lookUp({ code, cep: CEP }, '203.0.113.1');
    for (let time = 0; time < 12; time += 1) expect((await right()).status).toBe(303);
    const guess = (at: number) => ({ code: `XXXXXXXXXX${10 + at}`, cep: CEP });
    expect(await statusesOf(51, guess, () => '203.0.113.1')).toEqual([...Array(50).fill(404), 429]);
    expect((await right()).status).toBe(429);
    expect((await lookUp({ code, cep: CEP }, '203.0.113.2')).status).toBe(303);
  });
});
