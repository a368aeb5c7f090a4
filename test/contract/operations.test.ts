import { describe, expect, test } from '@jest/globals';
import { fields } from './contract-files.js';
import { type Described, describedBy } from './oracle.js';

const takes = ({ parameters }: Described, place: string, name?: string): boolean =>
  parameters.some((parameter) => parameter['in'] === place && (name === undefined || parameter['name'] === name));

/** The statuses that the code before every handler can answer, and the operations that can get them. */
const causes: readonly [string, (operation: Described) => boolean][] = [
  ['400', () => true],
  ['401', ({ isPublic }) => !isPublic],
  // When a second factor is required, an operator without one may not even read.
  ['403', ({ isPublic }) => !isPublic],
  ['404', (operation) => takes(operation, 'path')],
  ['406', ({ statuses }) => statuses.some((status) => /^20[01]$/.test(status))],
  ['409', ({ isIdempotent }) => isIdempotent],
  ['412', (operation) => takes(operation, 'header', 'If-Match')],
  ['413', ({ node }) => node['requestBody'] !== undefined],
  ['415', ({ node }) => node['requestBody'] !== undefined],
  ['422', ({ isIdempotent }) => isIdempotent],
  ['429', () => true],
  ['500', () => true],
  ['503', () => true],
];

const YEAR = 365 * 24 * 60 * 60 * 1000;

describe.each(['rest', 'operator'] as const)('%s', (contract) => {
  const operations = describedBy(contract).filter(({ isStatic }) => !isStatic);

  describe.each(operations.map((operation) => [operation.id, operation] as const))('%s', (_id, operation) => {
    test('documents every status that it can answer', () => {
      const due = causes.filter(([, applies]) => applies(operation)).map(([status]) => status);
      expect(due.filter((status) => !operation.statuses.includes(status))).toEqual([]);
    });

    test('takes an Idempotency-Key if it is a POST with a token, except to set up a second factor', () => {
      // These answers are not stored, and contain a new secret each time.
      const enrols = operation.node['x-second-factor'] === 'enrolment';
      const due = operation.method === 'POST' && !operation.isPublic && !enrols;
      expect(operation.isIdempotent).toBe(due);
      expect(takes(operation, 'header', 'Idempotency-Key')).toBe(due);
    });

    test('links what it creates to the operation that reads it', () => {
      const created = fields(fields(operation.node['responses'])['201']);
      const links = Object.values(fields(created['links'])).map((link) => String(fields(link)['operationId']));
      expect(links.length > 0).toBe(operation.statuses.includes('201'));
      expect(links.filter((id) => !operations.some((each) => each.id === id))).toEqual([]);
    });

    test('says both when it was deprecated and when it ends, a year apart, or neither', () => {
      const { deprecated, 'x-deprecated-at': since, 'x-sunset': end } = operation.node;
      expect([since !== undefined, end !== undefined]).toEqual([deprecated === true, deprecated === true]);
      if (deprecated === true) expect(Date.parse(String(end)) - Date.parse(String(since))).toBeGreaterThanOrEqual(YEAR);
    });
  });
});
