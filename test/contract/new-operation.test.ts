import { expect, test } from '@jest/globals';
import { parse } from 'yaml';
import {
  contractOf,
  inserted,
  type NewOperation,
  operationText,
  pathParameters,
} from '../../scripts/codegen/new-operation.js';
import { fields, fileText, type Node, sources } from './contract-files.js';

/** `npm run new-operation` writes the same as the hand-written contracts, except descriptions. */

const textOf = (file: string): string => fileText(`contracts/${file}`);
const operationAt = (contract: Node, path: string, method: string): Node =>
  fields(fields(fields(contract['paths'])[path])[method]);

/** Parsed once for each contract, because it takes a while. */
const parametersIn = new Map(
  ['/api/v1', '/operator/v1'].map((root) => {
    const { file, shared } = contractOf(`${root}/`);
    return [file, new Map([...pathParameters(textOf('openapi.yaml'), shared), ...pathParameters(textOf(file), '#')])];
  }),
);

const written = (operation: NewOperation): string =>
  operationText(operation, parametersIn.get(contractOf(operation.path).file) ?? new Map());

/** The operation without the texts that a person writes, and without the description of success. */
function withoutWords({ description: _, summary: __, responses, ...operation }: Node, status: string): Node {
  const { description: ___, links: ____, ...success } = fields(fields(responses)[status]);
  // A generated operation leaves the scopes open. Here they stand for the choice of a person.
  const scopes = String(operation['x-scopes']) || 'all';
  return { ...operation, 'x-scopes': scopes, responses: { ...fields(responses), [status]: success } };
}

const ORDER = '/api/v1/orders/{id}';
const versioned = true;
const order = { method: 'get', path: ORDER, tag: 'Orders' } as const;
const product = { path: '/api/v1/products', tag: 'Products', body: 'ProductInput', answer: 'Product' };
const user = { path: '/api/v1/users', tag: 'Users', body: 'UserCreate', answer: 'User', operatorsOnly: true };
const CARD_PATH = '/operator/v1/rate-cards/{version}';
const cards = { path: '/operator/v1/rate-cards', tag: 'Rate cards' };
const hold = { path: '/operator/v1/users/{id}/hold', tag: 'Erasure' };

test.each<[string, Omit<NewOperation, 'id' | 'summary'>]>([
  ['getOrder', { ...order, answer: 'Order', versioned }],
  ['deleteProduct', { method: 'delete', path: '/api/v1/products/{id}', tag: 'Products', versioned }],
  ['createProduct', { method: 'post', ...product, status: '201', versioned }],
  ['createUser', { method: 'post', ...user, status: '201', versioned }],
  ['getRateCard', { method: 'get', path: CARD_PATH, tag: 'Rate cards', answer: 'RateCard' }],
  ['listRateCards', { method: 'get', ...cards, answer: 'RateCardList', list: true }],
  ['holdUser', { method: 'post', ...hold, answer: 'UserErasure', since: '1.1.0' }],
])('%s', (id, options) => {
  const { method, path, status = options.answer === undefined ? '204' : '200' } = options;
  const made = parse(written({ ...options, id, summary: 'x' }))[method];
  const byHand = operationAt(fields(fields(sources)[contractOf(path).file]), path, method);
  expect(withoutWords(made, status)).toEqual(withoutWords(byHand, status));
});

const label: NewOperation = { ...order, id: 'getLabel', summary: 'Get', answer: 'Label' };

test.each([
  ['a new path', `${ORDER}/label`, 'get'],
  ['a path that is there', ORDER, 'put'],
  ['the last path', `${ORDER}/status`, 'get'],
] as const)('it goes to its place and leaves all else as it was: %s', (_, path, method) => {
  const contract = textOf('openapi.yaml');
  const changed = inserted(contract, path, written({ ...label, path, method }));
  const document = parse(changed);
  expect(operationAt(document, path, method)).toMatchObject({ operationId: 'getLabel', tags: ['Orders'] });
  delete document.paths[path][method];
  if (Object.keys(document.paths[path]).length === 0) delete document.paths[path];
  expect(document).toEqual(parse(contract));
  expect(changed).not.toMatch(/\n\n\n/);
  expect(changed).toMatch(/\n\ncomponents:/);
});

test('a parameter that no contract has is referenced by the name that it should get', () => {
  const operation = written({ ...label, path: '/operator/v1/couriers/{courier_id}' });
  expect(operation).toContain("- $ref: '#/components/parameters/CourierIdInPath'");
});
