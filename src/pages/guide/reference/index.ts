import operator from '../../../../generated/operator.openapi.json' with { type: 'json' };
import rest from '../../../../generated/rest.openapi.json' with { type: 'json' };
import { sdl } from '../../../../generated/schema.js';
import { trackingSchema } from '../../../../generated/tracking-webhook.js';
import { resolve } from '../../../base/contracts/document.js';
import type { Draft } from '../contents.js';
import { graphqlDraft } from './graphql.js';
import { openapiDrafts } from './openapi.js';
import { fieldsOf, json, schemaSection } from './schemas.js';

/** The reference of every contract, made from what codegen.ts made of it. */
export const referenceDrafts = (): Draft[] => [
  ...openapiDrafts(rest, 'rest', 'REST'),
  graphqlDraft(sdl),
  webhookDraft(),
  ...openapiDrafts(operator, 'operator', 'Operator', rest, 'rest'),
];

function webhookDraft(): Draft {
  const { examples, definitions, ...body } = fieldsOf(trackingSchema);
  const resolved = (value: unknown) => fieldsOf(resolve(trackingSchema, value));
  const schemas = [['TrackingPayload', body] as const, ...Object.entries(fieldsOf(definitions))];
  const sections = schemas.map(([name, schema]) => schemaSection(name, fieldsOf(schema), resolved));
  const example = [examples].flat()[0];
  return {
    slug: 'webhook-body',
    markdown: ['# Webhook: the body', INTRODUCTION, ...sections, '## Example', json(example)].join('\n\n'),
  };
}

const INTRODUCTION = 'What a receiver gets. How it is sent, signed and repeated is said [here](webhook.md).';
