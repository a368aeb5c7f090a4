import type { components } from '../../generated/operator.js';
import { movementTo, orderBody } from '../support/bodies.js';
import { must } from '../support/http.js';
import type { Caller } from '../support/service.js';

export type MovementInput = components['schemas']['MovementInput'];

export const at = (id: string) => ({ params: { path: { id } } });
export const atPackage = (loggi_key: string) => ({ params: { path: { loggi_key } } });

interface Answered<T = unknown> {
  data?: T;
  error?: unknown;
  response: Response;
}

/** Status and error code of a refusal, and the fields that it names. */
export async function refusalOf(call: Promise<Answered>): Promise<[number, string | undefined, ...string[]]> {
  const { error, response } = await call;
  const body = JSON.parse(JSON.stringify(error ?? {}));
  const fields: string[] = (body.error?.details ?? []).map((detail: { field: string }) => detail.field);
  return [response.status, body.error?.code, ...fields];
}

export const bodyOf = async <T>(call: Promise<Answered<T>>): Promise<T> => must(await call);

/** Creates an order of the customer whose packages have the fields of `other`. Answers the order with its packages. */
export function placeOrder(customer: Caller, packages = 1, other: object = {}) {
  const { pickups, packages: parcels } = orderBody(other);
  const body = { pickups, packages: Array.from({ length: packages }, () => parcels).flat() };
  return bodyOf(customer.rest.POST('/api/v1/orders', { body }));
}

export const newPackages = async (customer: Caller, count: number): Promise<string[]> =>
  (await placeOrder(customer, count)).packages.map((parcel) => parcel.loggi_key);

export async function newPackage(customer: Caller): Promise<string> {
  const [key] = await newPackages(customer, 1);
  if (!key) throw new Error('the order has no package');
  return key;
}

/** Creates a package with a PIN. Also answers a wrong PIN. */
export async function withPin(customer: Caller) {
  const { id: orderId, packages } = await placeOrder(customer, 1, { delivery_pin: true });
  const { loggi_key: key = '', delivery_pin: pin = '' } = packages[0] ?? {};
  return { key, pin, wrong: pin === '111111' ? '222222' : '111111', orderId };
}

/** A movement to status 3 that happens now. The fields of `other` replace its own. */
export const movement = (loggiKey: string, other: Partial<MovementInput> = {}): MovementInput => ({
  ...movementTo(loggiKey),
  ...other,
});

export const record = (operator: Caller, ...movements: MovementInput[]) =>
  operator.operator.POST('/operator/v1/movements', { body: { movements } });

/** Records movements. Resolves to their outcomes, without their ids. */
export async function resultsOf(operator: Caller, ...movements: MovementInput[]) {
  const { results } = await bodyOf(record(operator, ...movements));
  return results.map(({ result, code, field }) => [result, code, field].filter(Boolean).join(' '));
}

export const soon = (milliseconds: number): string => new Date(Date.now() + milliseconds).toISOString();

/** Required parts of movements to the statuses 6 (reason) and 10 (agency). */
export const reason = { reason_label: 'Endereço incompleto', reason_description: 'Falta o número.' };
export const agency = { address: 'Rua Augusta, 1500', city: 'São Paulo', state: 'SP', postal_code: '01304001' };

export async function newWaitingPackage(operator: Caller, customer: Caller): Promise<string> {
  const key = await newPackage(customer);
  await resultsOf(operator, movement(key, { status_code: 6, action_required: reason }));
  return key;
}
