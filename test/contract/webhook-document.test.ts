import { expect, test } from '@jest/globals';
import { Ajv } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import { sharedService } from '../support/services.js';
import { bundles, fields, fileText, isNode, type Node, trackingSchema } from './contract-files.js';

/** The webhook in the form for generators: /docs/webhooks.openapi.json and .yaml. */

const service = await sharedService();
const read = async (file: string) => (await fetch(`${service.url}/docs/${file}`)).text();
const document: Node = JSON.parse(await read('webhooks.openapi.json'));

/** The part of the document at a path of names. */
const at = (...names: readonly string[]): unknown =>
  names.reduce<unknown>((node, name) => (isNode(node) ? node[name] : undefined), document);

const post = ['webhooks', 'trackingUpdate', 'post'] as const;

test('the document is the same in two formats, with the version of the other contracts', async () => {
  expect(parse(await read('webhooks.openapi.yaml'))).toEqual(document);
  expect(document).toMatchObject({ openapi: '3.1.0', info: { version: Object(bundles.rest['info']).version } });
});

test('the document has the method, the headers, Basic, and the answers that acknowledge or disable', () => {
  expect(at('components', 'securitySchemes')).toMatchObject({ basic: { type: 'http', scheme: 'basic' } });
  expect(at(...post, 'parameters')).toMatchObject([
    { name: 'webhook-id', in: 'header', required: true },
    { name: 'webhook-timestamp', in: 'header', required: true },
    { name: 'webhook-signature', in: 'header', required: true },
    { name: 'malote-replay', in: 'header' },
    { name: 'malote-test', in: 'header' },
  ]);
  expect(Object.keys(Object(at(...post, 'responses')))).toEqual(['200', '201', '410', 'default']);
  const schema = at(...post, 'requestBody', 'content', 'application/json', 'schema');
  expect(schema).toEqual({ $ref: '#/components/schemas/TrackingPayload' });
});

test('the document has formats inline and no choice of object or null, which generators would lose', () => {
  const { updatedTime, actionRequired } = Object(at('components', 'schemas', 'TrackingStatus', 'properties'));
  expect(updatedTime).toMatchObject({ type: 'string', format: 'date-time' });
  expect(actionRequired).toMatchObject({ title: 'ActionRequired', type: ['object', 'null'] });
  expect(JSON.stringify([document, trackingSchema])).not.toContain('oneOf');
  for (const definition of Object.values(fields(trackingSchema['definitions'])))
    expect(definition).toMatchObject({ type: 'object' });
});

test('the document accepts and refuses the same bodies as the JSON Schema', () => {
  const own = new Ajv2020({ strict: false, validateFormats: false });
  own.addSchema(document, 'document');
  const byDocument = own.getSchema('document#/components/schemas/TrackingPayload');
  const bySchema = new Ajv({ strict: false, validateFormats: false }).compile(trackingSchema);
  const example = JSON.parse(fileText('contracts/examples/tracking-payload.json'));
  const bodies = [example, {}, { packages: [] }];
  const status = example.packages[0].status;
  for (const [name, value] of Object.entries({ actionRequired: null, updatedTime: 1, code: 'x', pickupAgency: {} }))
    bodies.push({ packages: [{ ...example.packages[0], status: { ...status, [name]: value } }] });
  bodies.push({ packages: [{ ...example.packages[0], status: { ...status, actionRequired: {} } }] });
  for (const body of bodies) expect([body, byDocument?.(body)]).toEqual([body, bySchema(body)]);
});
