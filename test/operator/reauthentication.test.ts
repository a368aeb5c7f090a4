import { describe, expect, test } from '@jest/globals';
import { PASSWORD } from '../support/password.js';
import { enrolledOperator, newOperator } from '../support/second-factor.js';
import type { Caller } from '../support/service.js';
import { ownService } from '../support/services.js';
import { at } from './fixtures.js';

/** An operator's token alone cannot create another access: the operator must prove the password again. */

const now = Date.now();
const service = await ownService({}, { clock: () => new Date(now) });

interface Proof {
  current_password?: string;
  code?: string;
}

const profile = { name: 'Olga', phone: '+55 11 91234-5678' };
let made = 0;
const newEmail = () => `reauthenticated-${++made}@malote.test`;

/** Each action creates an access. Its function prepares the account, and returns the call. */
const actions = {
  'creates an operator': async () => (by: Caller, proof: Proof) =>
    by.rest.POST('/api/v1/users', {
      body: { ...profile, email: newEmail(), password: PASSWORD, role: 'operator', ...proof },
    }),
  'makes a customer an operator': async () => {
    const { id, email } = await service.customer();
    return (by: Caller, proof: Proof) =>
      by.rest.PUT('/api/v1/users/{id}', { ...at(id), body: { ...profile, email, role: 'operator', ...proof } });
  },
  'makes an operator a customer': async () => {
    const { id, email } = await newOperator(service);
    return (by: Caller, proof: Proof) =>
      by.rest.PUT('/api/v1/users/{id}', { ...at(id), body: { ...profile, email, role: 'customer', ...proof } });
  },
  "changes another operator's password": async () => {
    const { id, email } = await newOperator(service);
    return (by: Caller, proof: Proof) =>
      by.rest.PUT('/api/v1/users/{id}', {
        ...at(id),
        body: { ...profile, email, password: 'another password', ...proof },
      });
  },
  "changes a customer's password": async () => {
    const { id, email } = await service.customer();
    return (by: Caller, proof: Proof) =>
      by.rest.PUT('/api/v1/users/{id}', {
        ...at(id),
        body: { ...profile, email, password: 'another password', ...proof },
      });
  },
  "changes another's e-mail address": async () => {
    const { id } = await newOperator(service);
    return (by: Caller, proof: Proof) =>
      by.rest.PUT('/api/v1/users/{id}', { ...at(id), body: { ...profile, email: newEmail(), ...proof } });
  },
  'reactivates a deleted operator': async () => {
    const { id } = await newOperator(service);
    await service.operator.rest.DELETE('/api/v1/users/{id}', at(id));
    return (by: Caller, proof: Proof) =>
      by.operator.POST('/operator/v1/users/{id}/reactivation', { ...at(id), body: { password: PASSWORD, ...proof } });
  },
};

describe.each(Object.entries(actions))('an operator who %s', (_what, prepare) => {
  /** The status, and the wrong field or the reason of a refusal. */
  async function outcome(call: ReturnType<Awaited<ReturnType<typeof prepare>>>) {
    const { response, error } = await call;
    return [response.status, error?.error.details[0]?.field ?? error?.error.reason];
  }

  test('must send their own password, so that a stolen token is not enough', async () => {
    const [act, by] = [await prepare(), await service.signIn(await newOperator(service))];
    expect(await outcome(act(by, {}))).toEqual([403, 'reauthentication_required']);
    expect(await outcome(act(by, { current_password: 'not it' }))).toEqual([400, 'current_password']);
    expect(await outcome(act(by, { code: '123456' }))).toEqual([400, 'code']);
    expect((await act(by, { current_password: PASSWORD })).response.ok).toBe(true);
  });

  test('may send a code of the second factor in place of the password', async () => {
    const [act, { caller, codeOf }] = [await prepare(), await enrolledOperator(service, now)];
    expect((await act(caller, { code: codeOf(1) })).response.ok).toBe(true);
  });
});
