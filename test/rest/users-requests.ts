import type { components } from '../../generated/rest.js';
import { PASSWORD, type RestClient, type User } from './rest-service.js';

export type UserCreate = components['schemas']['UserCreate'];
export type UserUpdate = components['schemas']['UserUpdate'];

let users = 0;

/** The body of a user that does not exist yet. */
export const newUser = (change: Partial<UserCreate> = {}): UserCreate => {
  users += 1;
  return {
    email: `new${users}@example.com`,
    password: PASSWORD,
    name: 'Bruno Lima',
    phone: '+55 11 98888-7777',
    ...change,
  };
};

/** The body that changes nothing. */
export const asIs = ({ account: { email, name, phone } }: User): UserUpdate => ({ email, name, phone });

const path = (id: string) => ({ path: { id } });

export const getUser = (api: RestClient, id: string, etag?: string) =>
  api.GET('/api/v1/users/{id}', { params: { ...path(id), ...(etag ? { header: { 'If-None-Match': etag } } : {}) } });

export const putUser = (api: RestClient, id: string, body: UserUpdate, etag?: string) =>
  api.PUT('/api/v1/users/{id}', { params: { ...path(id), ...(etag ? { header: { 'If-Match': etag } } : {}) }, body });

export const deleteUser = (api: RestClient, id: string, etag?: string) =>
  api.DELETE('/api/v1/users/{id}', { params: { ...path(id), ...(etag ? { header: { 'If-Match': etag } } : {}) } });

export const postUser = (api: RestClient, body: UserCreate, key?: string) =>
  api.POST('/api/v1/users', { params: key ? { header: { 'Idempotency-Key': key } } : {}, body });
