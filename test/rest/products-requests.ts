import type { components } from '../../generated/rest.js';
import type { RestClient } from './rest-service.js';

export type ProductInput = components['schemas']['ProductInput'];
export type Product = components['schemas']['Product'];

let products = 0;

/** The body of a product that does not exist yet. */
export const newProduct = (change: Partial<ProductInput> = {}): ProductInput => {
  products += 1;
  const dimensions = { width: 12, height: 6.5, length: 20, weight: 520 };
  return { sku: `CAFE-${products}`, name: 'Café torrado 500 g', price: '38.50', dimensions, ...change };
};

const path = (id: string) => ({ path: { id } });

export const postProduct = (api: RestClient, body: ProductInput, key?: string) =>
  api.POST('/api/v1/products', { params: key ? { header: { 'Idempotency-Key': key } } : {}, body });

export const getProduct = (api: RestClient, id: string, etag?: string) =>
  api.GET('/api/v1/products/{id}', { params: { ...path(id), ...(etag ? { header: { 'If-None-Match': etag } } : {}) } });

export const putProduct = (api: RestClient, id: string, body: ProductInput, etag?: string) =>
  api.PUT('/api/v1/products/{id}', {
    params: { ...path(id), ...(etag ? { header: { 'If-Match': etag } } : {}) },
    body,
  });

export const deleteProduct = (api: RestClient, id: string, etag?: string) =>
  api.DELETE('/api/v1/products/{id}', { params: { ...path(id), ...(etag ? { header: { 'If-Match': etag } } : {}) } });

export const listProducts = (api: RestClient, query: { page?: number; page_size?: number; search?: string } = {}) =>
  api.GET('/api/v1/products', { params: { query } });

/** A product that exists. */
export async function stocked(api: RestClient, change: Partial<ProductInput> = {}): Promise<Product> {
  const { data } = await postProduct(api, newProduct(change));
  if (!data) throw new Error('the product was not created');
  return data;
}
