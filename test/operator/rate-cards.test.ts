import { describe, expect, test } from '@jest/globals';
import { operatorOf } from '../cli/malote.js';
import { orderBody } from '../support/bodies.js';
import { must } from '../support/http.js';
import { ownService } from '../support/services.js';
import { bodyOf, refusalOf } from './fixtures.js';

/** Named rate cards, and the accounts that they are given to. */

const service = await ownService();
const { operator } = service.operator;
const [ana, bia] = [await service.customer(), await service.customer()];
const malote = operatorOf(service);

const { version: _, created_at: __, ...prices } = await bodyOf(operator.GET('/operator/v1/rate-cards/current'));
const dearer = { ...prices, base: '19.90' };
const add = (more: object = {}) => operator.POST('/operator/v1/rate-cards', { body: { ...dearer, ...more } });
const ofUser = ({ id }: { id: string }) => ({ params: { path: { id } } });
const cardOf = (user: { id: string }) => bodyOf(operator.GET('/operator/v1/users/{id}/rate-card', ofUser(user)));
/** The date in São Paulo after this number of days. */
const dayAfter = (days: number) => new Date(Date.now() + days * 86_400_000 - 3 * 3_600_000).toISOString().slice(0, 10);
const give = (user: { id: string }, { name, from = dayAfter(0) }: { name: string; from?: string }) =>
  operator.PUT('/operator/v1/users/{id}/rate-card', { ...ofUser(user), body: { name, from } });

const near = { packages: orderBody().packages };
const quoted = async (user: typeof ana) => {
  const { pricing } = must(await user.rest.POST('/api/v1/estimates', { body: { ...orderBody(), ...near } }));
  return pricing;
};
const ordered = async (user: typeof ana) => must(await user.rest.POST('/api/v1/orders', { body: orderBody() })).pricing;

interface Refused {
  error?: { error: { details: readonly { field: string; code?: string }[] } };
  response: Response;
}
const faultsOf = ({ error }: Refused) => error?.error.details.map(({ field, code }) => `${field} ${code}`);

describe('rate cards', () => {
  test('show no name and no time if they have none', async () => {
    expect(Object.keys(await bodyOf(operator.GET('/operator/v1/rate-cards/current')))).not.toContain('name');
    const card = must(await add());
    expect(Object.keys(card).filter((key) => /name|valid/.test(key))).toEqual([]);
    expect(Object.keys(await quoted(ana))).toEqual(['total', 'rate_card_version', 'lines']);
    await operator.POST('/operator/v1/rate-cards', { body: prices });
  });

  test('can have names, and their versions count the cards of all names together', async () => {
    const { version: last } = await bodyOf(operator.GET('/operator/v1/rate-cards/current'));
    const added = must(await add({ name: 'contract-2027' }));
    expect(added).toMatchObject({ version: last + 1, name: 'contract-2027', base: '19.90' });
    const query = { name: 'contract-2027' };
    expect((await bodyOf(operator.GET('/operator/v1/rate-cards'))).data[0]).toEqual(added);
    expect(await bodyOf(operator.GET('/operator/v1/rate-cards/current', { params: { query } }))).toEqual(added);
    expect(await bodyOf(operator.GET('/operator/v1/rate-cards/current'))).toMatchObject({ version: last });
    const unknown = operator.GET('/operator/v1/rate-cards/current', { params: { query: { name: 'unknown' } } });
    expect(await refusalOf(unknown)).toEqual([404, 'NOT_FOUND']);
  });

  test('price the orders of the accounts that they are given to, and no other account sees them', async () => {
    const given = must(await give(ana, { name: 'contract-2027' }));
    expect(given).toMatchObject({ user_id: ana.id, name: 'contract-2027' });
    expect(await cardOf(ana)).toEqual(given);
    expect(await cardOf(bia)).toMatchObject({ name: 'standard' });
    const [own, other] = [await quoted(ana), await quoted(bia)];
    expect(Number(own.total) - Number(other.total)).toBeCloseTo(10, 5);
    expect(own.rate_card_version).toBe(given.version);
    expect(await ordered(ana)).toEqual(own);
    const seen = must(await ana.rest.GET('/api/v1/rate-card'));
    expect(seen).toEqual({
      current: { ...dearer, version: given.version, valid_from: given.valid_from },
    });
    expect(JSON.stringify(seen)).not.toContain('contract');
    expect(must(await bia.rest.GET('/api/v1/rate-card')).current).toMatchObject({ base: prices.base });
  });

  test('that are announced show in prices and estimates, but price no order yet', async () => {
    const from = `${dayAfter(40)}T03:00:00.000Z`;
    const announced = must(await add({ name: 'contract-2027', base: '29.90', valid_from: from }));
    expect(announced.valid_from).toBe(from);
    const pricing = await quoted(ana);
    expect(pricing).toMatchObject({ valid_until: from });
    expect(Object.keys(await ordered(ana))).toEqual(['total', 'rate_card_version', 'lines']);
    expect(must(await ana.rest.GET('/api/v1/rate-card')).announced).toMatchObject({ base: '29.90', valid_from: from });
    expect(await cardOf(ana)).toMatchObject({
      announced: { name: 'contract-2027', version: announced.version, valid_from: from },
    });
    expect(await quoted(bia)).not.toHaveProperty('valid_until');
  });

  test('are given from a chosen day on, which replaces an earlier announcement', async () => {
    const first = must(await give(bia, { name: 'contract-2027', from: dayAfter(10) }));
    expect(first).toMatchObject({ name: 'standard', announced: { name: 'contract-2027' } });
    expect(first.announced?.valid_from).toBe(`${dayAfter(10)}T03:00:00.000Z`);
    const later = must(await give(bia, { name: 'contract-2027', from: dayAfter(20) }));
    expect(later.announced?.valid_from).toBe(`${dayAfter(20)}T03:00:00.000Z`);
    expect(must(await give(bia, { name: 'standard' })).announced).toBeUndefined();
    expect(await quoted(bia)).not.toHaveProperty('valid_until');
  });

  test.each([
    [{ name: 'nobody-has-it' }, ['name not_found']],
    [{ name: 'Contract 2027' }, ['name pattern']],
    [{ name: 'standard', from: '2026-01-01' }, ['from too_early']],
    [{ name: 'standard', from: dayAfter(380) }, ['from too_late']],
    [{ name: 'standard', from: '2027-02-30' }, ['from pattern']],
  ])('are not given when the request is %j', async (body, faults) => {
    const refused = await give(ana, body);
    expect([refused.response.status, faultsOf(refused)]).toEqual([400, faults]);
  });

  test('are not given before they begin, nor to an unknown account', async () => {
    must(await add({ name: 'next-year', valid_from: `${dayAfter(100)}T03:00:00Z` }));
    expect(faultsOf(await give(ana, { name: 'next-year' }))).toEqual(['from too_early']);
    expect(faultsOf(await give(ana, { name: 'next-year', from: dayAfter(99) }))).toEqual(['from too_early']);
    expect((await give(bia, { name: 'next-year', from: dayAfter(100) })).response.status).toBe(200);
    must(await give(bia, { name: 'standard' }));
    const nobody = { id: '01930f5e-7d3c-7a41-9c55-0d6f2b8e4a10' };
    expect((await give(nobody, { name: 'standard' })).response.status).toBe(404);
  });

  test.each([
    [{ valid_from: '2026-01-01T00:00:00Z' }, 'valid_from too_early'],
    [{ valid_from: `${dayAfter(400)}T00:00:00Z` }, 'valid_from too_late'],
    [{ name: 'no spaces' }, 'name pattern'],
  ])('are not added with %j', async (more, fault) => {
    expect(faultsOf(await add(more))).toEqual([fault]);
  });

  test('have a preview with the orders of one account', async () => {
    const preview = (user_id: string) =>
      operator.POST('/operator/v1/rate-cards/preview', { body: { ...prices, user_id } });
    const own = must(await preview(ana.id));
    const orders = must(await ana.rest.GET('/api/v1/orders')).data;
    expect(own.orders.map(({ order_id: id }) => id).sort()).toEqual(orders.map(({ id }) => id).sort());
    expect(own).toMatchObject({ current_version: (await cardOf(ana)).version, cheaper_count: own.order_count });
    expect((await preview('01930f5e-7d3c-7a41-9c55-0d6f2b8e4a10')).response.status).toBe(404);
  });

  test('can be managed by commands', async () => {
    const options = '--base 9.90 --per-km 0.12 --per-kg 0.90 --per-extra-stop 3.50 --volumetric 6000';
    const from = `${dayAfter(30)}T03:00:00.000Z`;
    const added = await malote.json(`rates add ${options} --name by-command --from ${from}`.split(' '));
    expect(added).toMatchObject({ name: 'by-command', valid_from: from });
    await malote.json(`rates add ${options} --name by-command`.split(' '));
    const given = await malote.json(`rates give ${bia.email} --name by-command --from ${dayAfter(3)}`.split(' '));
    expect(given).toMatchObject({ name: 'standard', announced: { name: 'by-command' } });
    expect((await malote.run(`rates of ${bia.email}`)).out).toMatch(/announced\.name +by-command/);
    expect((await malote.run('rates current --name by-command')).out).toMatch(/name +by-command/);
    const preview = await malote.json(`rates preview ${options} --user ${ana.email}`.split(' '));
    expect(preview).toMatchObject({ order_count: 2 });
  });
});
