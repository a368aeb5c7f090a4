import { describe, expect, test } from '@jest/globals';
import type { components } from '../../generated/rest.js';
import { packageBody } from '../support/bodies.js';
import { must } from '../support/http.js';
import { ownService } from '../support/services.js';

const service = await ownService();
const ana = await service.customer();

type QuoteCreate = components['schemas']['QuoteCreate'];

const size = { width: 20, height: 10, length: 30, weight: 1200 };
const [paulista, pinheiros] = [{ postal_code: '01310200' }, { postal_code: '05422000' }];
const ask = (body: QuoteCreate, headers = {}) => ana.rest.POST('/api/v1/quotes', { body, headers });
const cart = (more: object = {}): QuoteCreate => ({
  pickups: [paulista],
  packages: [{ place: pinheiros, dimensions: size, ...more }],
});

interface Refused {
  error?: { error: { details: readonly { field: string; code?: string }[] } };
  response: Response;
}
const faultsOf = ({ error }: Refused) => error?.error.details.map(({ field, code }) => `${field} ${code}`);

describe('POST /api/v1/quotes', () => {
  test('answers the same as an estimate, from a CEP alone', async () => {
    const { services } = must(await ask(cart({ declared_value: '349.90' })));
    const address = (code: string) => ({ address: { address: code } });
    const estimate = must(
      await ana.rest.POST('/api/v1/estimates', {
        body: {
          pickups: [address('01310-200')],
          packages: [{ ...packageBody, ...address('05422-000'), dimensions: size, declared_value: '349.90' }],
        },
      }),
    );
    expect(services).toEqual(estimate.services);
    expect(services.map(({ service: name }) => name)).toEqual(['express', 'economy']);
  });

  test('takes products, several packages, and places by city and state', async () => {
    const body = { sku: 'CAFE-500', name: 'Café', price: '38.50', dimensions: { ...size, weight: 520 } };
    const { id } = must(await ana.rest.POST('/api/v1/products', { body }));
    const packages = [
      { place: { city: 'Santos', state: 'SP' }, items: [{ product_id: id, quantity: 2 }] },
      { pickup_index: 1, place: pinheiros, dimensions: size },
    ];
    const { services } = must(await ask({ pickups: [paulista, { city: 'Campinas', state: 'SP' }], packages }));
    expect(services[0]?.pricing.lines.map(({ kind }) => kind)).toEqual(['line_haul']);
  });

  test('stores nothing, and repeats its answer for the same Idempotency-Key', async () => {
    const headers = { 'Idempotency-Key': 'cart-1' };
    const first = await ask(cart(), headers);
    const again = await ask(cart(), headers);
    expect(again.response.headers.get('idempotent-replayed')).toBe('true');
    expect(must(again)).toEqual(must(first));
    expect(must(await ana.rest.GET('/api/v1/orders')).data).toEqual([]);
  });

  test.each<[object, string[]]>([
    [{ pickups: [] }, ['pickups too_few']],
    [{ pickups: [{}] }, ['pickups.0 contradiction']],
    [{ pickups: [{ ...paulista, city: 'Santos', state: 'SP' }] }, ['pickups.0 contradiction']],
    [{ pickups: [paulista, pinheiros] }, ['pickups.1 unused']],
    [{ packages: [{ place: { postal_code: '00000000' }, dimensions: size }] }, ['packages.0.place not_placed']],
    [{ packages: [{ place: { city: 'Santos' }, dimensions: size }] }, ['packages.0.place contradiction']],
    [{ packages: [{ place: pinheiros }] }, ['packages.0 contradiction']],
    [{ packages: [{ place: pinheiros, dimensions: size, pickup_index: 3 }] }, ['packages.0.pickup_index not_found']],
    [
      { packages: [{ place: pinheiros, dimensions: { ...size, weight: 31_000 } }] },
      ['packages.0.dimensions.weight too_large'],
    ],
    [
      { packages: [{ place: pinheiros, dimensions: size, recipient: { name: 'Ana' } }] },
      ['packages.0.recipient unknown_field'],
    ],
  ])('refuses %j', async (more, faults) => {
    const refused = await ask({ ...cart(), ...more });
    expect([refused.response.status, [...(faultsOf(refused) ?? [])].sort()]).toEqual([400, faults.sort()]);
  });

  test('refuses places that the carrier does not serve, as coverage does', async () => {
    const areas = [{ states: ['SP'] }, { states: ['RJ'], collects: false, services: ['express' as const] }];
    must(await service.operator.operator.POST('/operator/v1/service-areas', { body: { areas } }));
    const recife = { city: 'Recife', state: 'PE' };
    const rio = { city: 'Rio de Janeiro', state: 'RJ' };
    expect(faultsOf(await ask(cart({ place: recife })))).toEqual(['packages.0.place not_delivered']);
    expect(faultsOf(await ask({ ...cart(), pickups: [rio] }))).toEqual(['pickups.0 not_collected']);
    expect(must(await ask(cart({ place: rio }))).services.map(({ service: name }) => name)).toEqual(['express']);
  });
});
