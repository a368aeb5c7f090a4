import { agency, bodyOf, type MovementInput, movement, resultsOf } from '../operator/fixtures.js';
import { orderBody } from '../support/bodies.js';
import type { Service } from '../support/service.js';

/** Makes packages of one customer, for tests of their pages. */

export const reason = { reason_label: 'Endereço incompleto', reason_description: 'Ligar para 11 98888-7777.' };

const needs: Readonly<Record<number, Partial<MovementInput>>> = {
  6: { action_required: reason },
  10: { pickup_agency: agency },
};

export type TrackedPackage = Awaited<ReturnType<Awaited<ReturnType<typeof packageMaker>>>>;

export async function packageMaker({ customer, operator }: Service) {
  const owner = await customer();
  const { rest } = owner;
  const own = await bodyOf(rest.GET('/api/v1/users/me'));
  return async (other: object = {}) => {
    const { packages } = await bodyOf(rest.POST('/api/v1/orders', { body: orderBody(other) }));
    const [parcel] = packages;
    const key = parcel?.loggi_key ?? '';
    const params = { path: { loggi_key: key } };
    return {
      key,
      owner,
      code: parcel?.tracking_code ?? '',
      path: new URL(parcel?.tracking_url ?? '').pathname,
      pin: parcel?.delivery_pin ?? '',
      setContact: async (support_contact: string) => {
        const { id, email, name, phone } = own;
        const body = { email, name, phone, support_contact };
        await bodyOf(rest.PUT('/api/v1/users/{id}', { params: { path: { id } }, body }));
      },
      move: async (status_code: number, facts: Partial<MovementInput> = {}) => {
        const results = await resultsOf(operator, movement(key, { status_code, ...needs[status_code], ...facts }));
        if (results[0] !== 'recorded') throw new Error(`the movement was ${results[0]}`);
      },
      revoke: async () => {
        await operator.operator.DELETE('/operator/v1/packages/{loggi_key}/tracking-link', { params });
      },
    };
  };
}
