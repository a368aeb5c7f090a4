import { describe, expect, test } from '@jest/globals';
import { descriptionIn } from '../../../scripts/breaking/description.js';
import { sdl, trackingSchema } from '../../contract/contract-files.js';
import { between, randomFrom } from '../../support/random.js';
import { graphqlMutations, type Mutation, openapiMutations, webhookMutations } from './mutations.js';

/** Names and values that are called otherwise never pass `lint:breaking`. Which are tried follows from a seed. */

const SEED = 20_261_123;
const MANY = 60;

const contracts = await Promise.all(
  ['openapi.yaml', 'operator.openapi.yaml'].map((name) => descriptionIn(`contracts/${name}`)),
);
const all = [...contracts.flatMap(openapiMutations), ...graphqlMutations(sdl), ...webhookMutations(trackingSchema)];

function some(mutations: readonly Mutation[]): Mutation[] {
  const random = randomFrom(SEED);
  const left = [...mutations];
  return Array.from({ length: MANY }, () => left.splice(between(random, 0, left.length - 1), 1)).flat();
}

describe.each([
  ['always there', true],
  ['sometimes there', false],
] as const)('what is %s', (_what, isRequired) => {
  const chosen = some(all.filter((each) => each.isRequired === isRequired));

  test.each(chosen)('$what', ({ breaks }) => {
    expect(breaks()).not.toEqual([]);
  });
});

test.each([
  'getDocs of paths//docs/get',
  'address of components/schemas/AnswerInput',
  'sku_taken of components/schemas/ErrorReason',
  'taken of components/schemas/DetailCode',
])('%s', (name) => {
  const [mutation] = all.filter(({ what }) => what === name);
  expect(mutation?.breaks()).not.toEqual([]);
});
