import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { holdLease } from '../../src/db/health/leases.js';
import { must } from '../support/http.js';
import { waitFor } from '../support/receiver.js';
import { ownService } from '../support/services.js';

/** GET /api/v1/rate-table. */

const service = await ownService();
const { db, url } = service;
const ana = await service.customer();

const ask = (query: Record<string, string>, headers = {}, { token } = ana) =>
  fetch(`${url}/api/v1/rate-table?${new URLSearchParams(query)}`, {
    headers: { authorization: `Bearer ${token}`, ...headers },
  });

/** Asks until the table is made, and resolves to the answer. */
async function made(query: Record<string, string>, caller = ana): Promise<Response> {
  let answer = await ask(query, {}, caller);
  await waitFor(async () => {
    answer = await ask(query, {}, caller);
    return answer.status !== 202;
  }, 'a table of prices');
  return answer;
}

const pickup = { pickup_postal_code: '01310200' };
const faultsOf = async (answer: Response) => {
  const { error }: { error: { details: { field: string; code: string }[] } } = JSON.parse(await answer.text());
  return error.details.map(({ field, code }) => `${field} ${code}`);
};

describe('GET /api/v1/rate-table', () => {
  test('is made in the background, and is then kept as a file', async () => {
    const waiting = await ask(pickup);
    expect([waiting.status, waiting.headers.get('retry-after')]).toEqual([202, '5']);
    expect(JSON.parse(await waiting.text())).toMatchObject({ state: 'waiting' });
    const answer = await made(pickup);
    expect(answer.headers.get('content-disposition')).toBe('attachment; filename="rate-table-01310200-express.csv"');
    const [head, ...lines] = (await answer.text()).trim().split('\r\n');
    expect(head).toBe('cep_from,cep_to,weight_from,weight_to,price,workdays');
    expect(lines.length).toBeGreaterThan(5_000);
    expect(lines[0]).toMatch(/^01000000,0100\d{4},0,500,\d+\.\d{2},\d$/);
    const tag = answer.headers.get('etag') ?? '';
    expect((await ask(pickup, { 'If-None-Match': tag })).status).toBe(304);
    // Another account with the same rate card gets the kept file at once.
    expect((await ask(pickup, {}, await service.customer())).status).toBe(200);
  });

  test('has the columns of VTEX in the layout for VTEX, with the charge for declared values', async () => {
    const [head, line] = (await (await made({ ...pickup, layout: 'vtex' })).text()).split('\r\n');
    expect(head).toBe(
      'ZipCodeStart,ZipCodeEnd,PolygonName,WeightStart,WeightEnd,AbsoluteMoneyCost,PricePercent,PriceByExtraWeight,MaxVolume,TimeCost,Country,MinimumValueInsurance',
    );
    expect(line).toMatch(/^01000000,0100\d{4},,0,500,\d+\.\d{2},0\.30,0,300000,\d\.00:00:00,BRA,1\.00$/);
  });

  test('follows the rate card of the account, and has only places that the carrier serves', async () => {
    const bia = await service.customer();
    const query = { ...pickup, weights: '1000,30000', service: 'express' };
    const before = (await (await made(query, bia)).text()).split('\r\n');
    expect(before[1]?.split(',').slice(2, 4)).toEqual(['0', '1000']);
    const areas = [{ states: ['SP'] }, { states: ['RJ'], delivers: false }];
    must(await service.operator.operator.POST('/operator/v1/service-areas', { body: { areas } }));
    const after = (await (await made(query, bia)).text()).trim().split('\r\n').slice(1);
    expect(after.every((line) => line < '20')).toBe(true);
    const body = { base: '50.00', per_km: '1.00', per_kg: '1.00', per_extra_stop: '1.00', volumetric_cm3_per_kg: 6000 };
    must(await service.operator.operator.POST('/operator/v1/rate-cards', { body: { ...body, name: 'own' } }));
    const params = { path: { id: bia.id } };
    const from = new Date(Date.now() - 3 * 3_600_000).toISOString().slice(0, 10);
    must(
      await service.operator.operator.PUT('/operator/v1/users/{id}/rate-card', { params, body: { name: 'own', from } }),
    );
    const dearer = (await (await made(query, bia)).text()).trim().split('\r\n').slice(1);
    expect(Math.min(...dearer.map((line) => Number(line.split(',')[4])))).toBeGreaterThan(50);
  });

  test.each([
    [{ pickup_postal_code: '00000000' }, 'pickup_postal_code not_placed'],
    [{ pickup_postal_code: '40010000' }, 'pickup_postal_code not_collected'],
    [{ ...pickup, weights: '2000,1000' }, 'weights too_small'],
    [{ ...pickup, weights: '1000,30001' }, 'weights too_large'],
    [{ ...pickup, layout: 'excel' }, 'layout unknown_value'],
    [{}, 'pickup_postal_code required'],
  ])('refuses %j by name', async (query, fault) => {
    const answer = await ask(query);
    expect([answer.status, await faultsOf(answer)]).toEqual([400, [fault]]);
  });

  test('lets at most three tables of an account wait', async () => {
    const carla = await service.customer();
    await db.deleteFrom('rate_tables').execute();
    // Stands for another process that is making a table.
    await holdLease(db, { name: 'rate_tables', holder: randomUUID() }, 60_000);
    const waiting = { service: 'express', weights: '1000', file: null, pickup_postal_code: '01310200' } as const;
    for (const key of ['a', 'b', 'c'])
      await db
        .insertInto('rate_tables')
        .values({ key, account_id: carla.id, ...waiting })
        .execute();
    const answer = await ask({ ...pickup, weights: '700' }, {}, carla);
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '10']);
  });
});
