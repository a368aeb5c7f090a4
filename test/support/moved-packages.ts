import { randomUUID } from 'node:crypto';
import type { components } from '../../generated/rest.js';
import { must } from './http.js';
import { jpeg } from './pictures.js';
import type { Caller } from './service.js';

/** Packages that have moved, for operations about packages in certain statuses. */

type OrderCreate = components['schemas']['OrderCreate'];

/** A movement of now. */
export const movementTo = (loggi_key: string, status_code = 3) => ({
  id: randomUUID(),
  loggi_key,
  status_code,
  happened_at: new Date().toISOString(),
});

/** An order of two packages of which one waits for its shipper, who has answered, and one was delivered. */
export async function movedPackages({ rest }: Caller, { operator }: Caller, body: OrderCreate) {
  const { packages } = must(await rest.POST('/api/v1/orders', { body }));
  const [waitingKey = '', deliveredKey = ''] = packages.map(({ loggi_key }) => loggi_key);
  const action_required = { reason_label: 'Endereço incompleto', reason_description: 'Falta o número.' };
  const movements = [{ ...movementTo(waitingKey, 6), action_required }, movementTo(deliveredKey, 5)];
  must(await operator.POST('/operator/v1/movements', { body: { movements } }));
  const params = { path: { loggi_key: waitingKey } };
  const answering = { params, body: { note: 'Ring twice.' } };
  const { id: answerId } = must(await rest.POST('/api/v1/packages/{loggi_key}/answers', answering));
  return { waitingKey, deliveredKey, answerId };
}

/** Delivers a package, with all that can prove it. */
export async function deliver({ operator }: Caller, loggi_key: string): Promise<void> {
  const proof = { recipient_name: 'Marta Lima', recipient_document: '4821' };
  const delivered = { ...movementTo(loggi_key), status_code: 5, proof };
  must(await operator.POST('/operator/v1/movements', { body: { movements: [delivered] } }));
  const picture = {
    params: { path: { loggi_key } },
    headers: { 'Content-Type': 'image/jpeg' },
    body: '',
    bodySerializer: () => jpeg(),
  };
  await operator.PUT('/operator/v1/packages/{loggi_key}/proof/photo', picture);
  await operator.PUT('/operator/v1/packages/{loggi_key}/proof/signature', picture);
}
