import { describe, expect, test } from '@jest/globals';
import { absentRecords, bodyFor } from '../support/bodies.js';
import { ask } from '../support/http.js';
import { pathFor } from '../support/records.js';
import { sharedService } from '../support/services.js';
import { fields, isNode, type Node, resolve } from './contract-files.js';
import { type Described, operations } from './oracle.js';

/** A wrong field has one entry in `details`, even if its value breaks several rules. */

const service = await sharedService();
const customer = await service.customer();
const absent = absentRecords(customer.token);

interface Scalar {
  /** The path from the body: names of fields and indexes in lists. */
  readonly steps: readonly string[];
  readonly schema: Node;
  readonly isRequired: boolean;
}

/** The scalar fields of a schema. In a list, only the fields of the first item. */
function scalarsIn(document: Node, value: unknown, steps: readonly string[] = [], isRequired = true): Scalar[] {
  const schema = fields(resolve(document, value));
  const choices = Array.isArray(schema['oneOf']) ? schema['oneOf'] : [];
  // No field is required in every choice.
  const ofChoices = choices.flatMap((choice) => scalarsIn(document, choice, steps));
  if (choices.length > 0) return ofChoices.map((scalar) => ({ ...scalar, isRequired: false }));
  if (schema['items']) return scalarsIn(document, schema['items'], [...steps, '0']);
  const properties = Object.entries(fields(schema['properties']));
  if (schema['type'] !== 'object') return [{ steps, schema, isRequired }];
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  return properties.flatMap(([name, property]) =>
    scalarsIn(document, property, [...steps, name], required.includes(name)),
  );
}

const ofOtherTypes: Readonly<Record<string, unknown[]>> = {
  string: [5, null],
  integer: ['', [], 1.5],
  number: ['x', {}],
  boolean: ['true', null],
};

const isFree = ({ format, pattern }: Node): boolean =>
  /^(text|password)$/.test(String(format)) || pattern === '^[^\\x00]*$';

/** Values that a field must refuse. If possible, they break several rules at once. */
function wrongValues({ schema, isRequired }: Scalar): unknown[] {
  const { type, minimum, maximum, minLength = 0, maxLength, format, pattern, enum: values } = schema;
  const hasForm = values ?? (!isFree(schema) && (format ?? pattern));
  const ofOtherType = (ofOtherTypes[String(type)] ?? []).filter((value) => isRequired || value !== '');
  return [
    ...ofOtherType,
    ...(isRequired && (Number(minLength) > 0 || values) ? [''] : []),
    ...(maxLength ? ['\0'.repeat(Number(maxLength) + 1), '💥'.repeat(2 * Number(maxLength))] : []),
    ...(isFree(schema) ? ['a\0b', '\ud800'] : []),
    ...(type === 'string' && hasForm ? ['?'.repeat(Number(minLength) || 1)] : []),
    ...(minimum === undefined ? [] : [Number(minimum) - 1]),
    ...(maximum === undefined ? [] : [Number(maximum) + 1]),
  ];
}

/** A copy of the value with `inner` at the path. Missing objects and lists are made. */
function changed(value: unknown, [step, ...rest]: readonly string[], inner: unknown): unknown {
  if (step === undefined) return inner;
  if (step === '0') return [changed(Array.isArray(value) ? value[0] : undefined, rest, inner)];
  return { ...fields(value), [step]: changed(fields(value)[step], rest, inner) };
}

const schemaOf = ({ document, node }: Described): unknown =>
  fields(fields(fields(resolve(document, node['requestBody']))['content'])['application/json'])['schema'];

const answeredTo = (operation: Described, request: Parameters<typeof ask>[3]) => {
  const { token } = operation.roles.includes('customer') ? customer : service.operator;
  return ask(service.url, operation.method, pathFor(operation, absent), { ...request, token });
};

type Entry = { field: string; code: string };

const entriesOf = ({ text }: { text: string }): Entry[] => JSON.parse(text).error?.details ?? [];

const named = (all: readonly Described[]): [string, Described][] => all.map((each) => [each.id, each]);
const withBody = [...new Map(operations.map((each) => [JSON.stringify(schemaOf(each)), each])).values()].filter(
  (each) => isNode(schemaOf(each)),
);
const withQuery = operations.filter(({ parameters }) => parameters.some(({ in: place }) => place === 'query'));

describe.each(named(withBody))('%s', (_id, operation) => {
  const scalars = scalarsIn(operation.document, schemaOf(operation));
  const body = fields(bodyFor(operation, absent));
  const isChoice = 'oneOf' in fields(resolve(operation.document, schemaOf(operation)));

  test('names a wrong field once', async () => {
    const faults: string[] = [];
    for (const scalar of scalars) {
      const { steps } = scalar;
      for (const value of wrongValues(scalar)) {
        const sent = changed(isChoice ? {} : body, steps, value);
        const answer = await answeredTo(operation, { body: sent });
        const entries = entriesOf(answer);
        const own = entries.filter(({ field }) => field === steps.join('.'));
        // If the working body lacks the object, other fields are missing as well.
        const others = entries.filter((each) => !own.includes(each) && each.code !== 'required');
        if (own.length !== 1 || others.length > 0)
          faults.push(
            `${JSON.stringify(value).slice(0, 40)} at ${steps.join('.')}: ${answer.status} ${JSON.stringify(entries)}`,
          );
      }
    }
    expect(scalars.length).toBeGreaterThan(0);
    expect(faults).toEqual([]);
  });

  test('takes an empty text in an optional field as if the field were left out', async () => {
    for (const { steps, isRequired } of scalars) {
      if (isRequired) continue;
      const entries = entriesOf(await answeredTo(operation, { body: changed(isChoice ? {} : body, steps, '') }));
      // Another field may go with it.
      const wrong = entries.filter(({ field, code }) => field === steps.join('.') && code !== 'required');
      expect(wrong).toEqual([]);
    }
  });

  test('names each of several wrong fields once', async () => {
    const all = scalars.reduce<unknown>((sent, { steps }) => changed(sent, steps, { wrong: true }), body);
    const entries = entriesOf(await answeredTo(operation, { body: all }));
    const names = entries.map(({ field }) => field);
    expect(names).toEqual([...new Set(names)]);
    // If an object itself is wrong, its fields are named instead.
    const isNamed = (path: string) => !names.some((name) => name.startsWith(`${path}.`));
    const wrong = scalars.map(({ steps }) => steps.join('.')).filter(isNamed);
    const inside = names.filter((name) => scalars.some(({ steps }) => name.startsWith(`${steps.join('.')}.`)));
    expect(names.sort()).toEqual(isChoice ? ['body'] : [...wrong, ...inside].sort());
  });
});

describe.each(named(withQuery))('%s', (_id, operation) => {
  test('names a wrong parameter once', async () => {
    for (const { name, in: place, schema } of operation.parameters) {
      if (place !== 'query') continue;
      const { type, maxLength, enum: values } = fields(resolve(operation.document, schema));
      const isClosed = type !== 'string' || values;
      const wrong = [...(isClosed ? ['x', '-1e9'] : []), '', '%00%F0%9F%92%A5'.repeat(Number(maxLength ?? 9) + 1)];
      const queries = wrong.flatMap((value) => [`${name}=${value}`, `${name}=${value}&${name}=x&${name}=`]);
      for (const query of queries) {
        const body = isNode(schemaOf(operation)) ? { body: bodyFor(operation, absent) } : {};
        const request = { ...body, query: `?${query}&colour=red&colour=blue` };
        const entries = entriesOf(await answeredTo(operation, request));
        // Another parameter that must be sent is missing, too.
        const names = entries
          .filter(({ code, field }) => code !== 'required' || field === name)
          .map(({ field }) => field);
        expect([query, names.sort()]).toEqual([query, [String(name), 'colour'].sort()]);
      }
    }
  });
});
