import { openapiGenerator, type Steps } from './steps.js';

/** A public generator for one language, tried on the published contracts. */
export interface Trial {
  readonly name: string;
  readonly generator: string;
  readonly version: string;
  readonly language: string;
  /** Keys are interfaces. */
  readonly contracts: readonly Contract[];
  /** A note for users in the guide's table. */
  readonly note?: string;
  readonly steps: Steps;
}

type Contract = keyof typeof contractFiles;

/** The documents of each interface, in every form that the service publishes below `/docs/`. */
export const contractFiles = {
  A: ['openapi.json', 'openapi.yaml'],
  B: ['schema.graphql'],
  C: ['tracking-webhook.schema.json'],
  D: ['operator.openapi.json', 'operator.openapi.yaml'],
} as const;

const openapi: readonly Contract[] = ['A', 'D'];
export const EXAMPLE = '"$ROOT/contracts/examples/tracking-payload.json"';

export const about = (name: string, generator: string, version: string, language: string, contracts = openapi) => ({
  name,
  generator,
  version,
  language,
  contracts,
});

/** openapi-generator for a language: the name of its target, its name in the guide, and its properties. */
export const openapiFor = (
  name: string,
  [target, language]: readonly [string, string],
  properties: string,
  steps: Omit<Steps, 'generate'> = {},
  note?: string,
): Trial => ({
  ...about(`openapi-generator-${name}`, 'openapi-generator', '7.25.0', language),
  steps: openapiGenerator(target, properties, steps),
  ...(note === undefined ? {} : { note }),
});
