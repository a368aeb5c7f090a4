import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import type { components } from '../../generated/rest.js';
import { bodyOf, refusalOf } from '../operator/fixtures.js';
import { PASSWORD } from '../support/password.js';
import { sharedService } from '../support/services.js';

/** The contact that a shipper shows to its recipients. */

const service = await sharedService();
const { rest } = service.operator;

const made = (support_contact: string) => {
  const who = { email: `${randomUUID()}@a.test`, name: 'Loja da Ana', phone: '+55 11 98888-7777' };
  return rest.POST('/api/v1/users', { body: { ...who, password: PASSWORD, support_contact } });
};

describe('the contact for recipients', () => {
  test.each([
    'https://example.com',
    'https://loja.example.com.br:8443/ajuda?pedido=1#contato',
    'ajuda+frete@loja.example.com.br',
    '+55 11 91234-5678',
    '(11) 91234-5678',
    '0800 123 4567',
  ])('is stored as it is sent: %s', async (contact) => {
    const { id } = await bodyOf(made(contact));
    const shown = await bodyOf(rest.GET('/api/v1/users/{id}', { params: { path: { id } } }));
    expect(shown.support_contact).toBe(contact);
  });

  test.each([
    'http://example.com',
    'javascript:alert(1)',
    'https://bank.example@evil.example.com/',
    'https://example.com/a b',
    'https://example.com/\nx',
    'https://localhost/ajuda',
    'mailto:ajuda@example.com',
    'ajuda@example',
    'fale conosco',
    `https://example.com/${'a'.repeat(240)}`,
  ])('is refused: %j', async (contact) => {
    expect(await refusalOf(made(contact))).toEqual([400, 'VALIDATION_ERROR', 'support_contact']);
  });

  test('is set by the account itself, stays when it is left out, and is removed by an empty value', async () => {
    const { rest: own } = await service.customer();
    const { id, email, name, phone } = await bodyOf(own.GET('/api/v1/users/me'));
    const update = async (change: Partial<components['schemas']['UserUpdate']>) => {
      const body = { email, name, phone, ...change };
      return (await bodyOf(own.PUT('/api/v1/users/{id}', { params: { path: { id } }, body }))).support_contact;
    };
    expect(await update({ support_contact: 'ajuda@example.com' })).toBe('ajuda@example.com');
    expect(await update({})).toBe('ajuda@example.com');
    expect(await update({ support_contact: '' })).toBeUndefined();
  });

  test('is erased by a process of an earlier release, too', async () => {
    const { id } = await bodyOf(made('ajuda@example.com'));
    await sql`update accounts set erased_at = now() where id = ${id}`.execute(service.db);
    const { rows } = await sql`select support_contact from accounts where id = ${id}`.execute(service.db);
    expect(rows).toEqual([{ support_contact: null }]);
  });
});
