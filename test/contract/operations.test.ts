import { describe, expect, test } from '@jest/globals';
import { bundles, fields, type Node, type Operation, operationsOf, resolve } from './contract-files.js';

interface Described {
  readonly node: Node;
  readonly method: string;
  readonly statuses: readonly string[];
  readonly parameters: readonly Node[];
  readonly isPublic: boolean;
}

function described(document: Node, { pointer, node }: Operation): Described {
  const parameters = [node['parameters'] ?? []].flat().map((parameter) => fields(resolve(document, parameter)));
  const security = [node['security'] ?? document['security'] ?? []].flat();
  const method = pointer.slice(pointer.lastIndexOf('/') + 1);
  return {
    node,
    method,
    parameters,
    statuses: Object.keys(fields(node['responses'])),
    isPublic: security.length === 0,
  };
}

const takes = ({ parameters }: Described, place: string, name?: string): boolean =>
  parameters.some((parameter) => parameter['in'] === place && (name === undefined || parameter['name'] === name));

/** Answers of the machinery in front of every handler, by the demands of the operation. */
const causes: readonly [string, (operation: Described) => boolean][] = [
  ['400', () => true],
  ['401', ({ isPublic }) => !isPublic],
  ['403', ({ node }) => node['x-roles'] !== undefined],
  ['404', (operation) => takes(operation, 'path')],
  ['406', ({ statuses }) => statuses.some((status) => /^20[01]$/.test(status))],
  ['409', ({ node }) => node['x-idempotent'] === true],
  ['412', (operation) => takes(operation, 'header', 'If-Match')],
  ['413', ({ node }) => node['requestBody'] !== undefined],
  ['415', ({ node }) => node['requestBody'] !== undefined],
  ['422', ({ node }) => node['x-idempotent'] === true],
  ['429', () => true],
  ['500', () => true],
  ['503', () => true],
];

const YEAR = 365 * 24 * 60 * 60 * 1000;

describe.each(Object.entries(bundles))('%s', (_edge, document) => {
  const operations = operationsOf(document).filter(({ node }) => node['x-static'] !== true);

  describe.each(operations.map((operation) => [operation.id, described(document, operation)] as const))(
    '%s',
    (_id, operation) => {
      test('documents every status that it can answer', () => {
        const due = causes.filter(([, applies]) => applies(operation)).map(([status]) => status);
        expect(due.filter((status) => !operation.statuses.includes(status))).toEqual([]);
      });

      test('honours Idempotency-Key exactly where it is a POST behind a token, but to set a second factor up', () => {
        // These answers are kept nowhere, and hold another secret each time.
        const enrols = operation.node['x-second-factor'] === 'enrolment';
        const due = operation.method === 'post' && !operation.isPublic && !enrols;
        expect(operation.node['x-idempotent'] === true).toBe(due);
        expect(takes(operation, 'header', 'Idempotency-Key')).toBe(due);
      });

      test('links what it creates to the operation that reads it', () => {
        const created = fields(fields(operation.node['responses'])['201']);
        const links = Object.values(fields(created['links'])).map((link) => String(fields(link)['operationId']));
        expect(links.length > 0).toBe(operation.statuses.includes('201'));
        expect(links.filter((id) => !operations.some((each) => each.id === id))).toEqual([]);
      });

      test('says when it was deprecated and when it ends, a year apart, or neither', () => {
        const { deprecated, 'x-deprecated-at': since, 'x-sunset': end } = operation.node;
        expect([since !== undefined, end !== undefined]).toEqual([deprecated === true, deprecated === true]);
        if (deprecated === true)
          expect(Date.parse(String(end)) - Date.parse(String(since))).toBeGreaterThanOrEqual(YEAR);
      });
    },
  );
});
