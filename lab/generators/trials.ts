/** A public generator for one language, tried on the contracts as they are published. */
export interface Trial {
  /** The folder of `clients/` that has its steps and what drives its client. */
  readonly name: string;
  readonly generator: string;
  readonly version: string;
  readonly language: string;
  /** By the interfaces that they describe. */
  readonly contracts: readonly Contract[];
  /** What its users must know. */
  readonly note?: string;
}

type Contract = keyof typeof contractFiles;

/** What each interface is generated from, in every form that the service publishes below `/docs/`. */
export const contractFiles = {
  A: ['openapi.json', 'openapi.yaml'],
  B: ['schema.graphql'],
  C: ['tracking-webhook.schema.json'],
  D: ['operator.openapi.json', 'operator.openapi.yaml'],
} as const;

const openapi: readonly Contract[] = ['A', 'D'];
const openapiGenerator = (name: string, language: string, note?: string): Trial => ({
  name: `openapi-generator-${name}`,
  generator: 'openapi-generator',
  version: '7.25.0',
  language,
  contracts: openapi,
  ...(note === undefined ? {} : { note }),
});

export const trials: readonly Trial[] = [
  {
    name: 'openapi-fetch',
    generator: 'openapi-typescript and openapi-fetch',
    version: '7.13.0',
    language: 'TypeScript',
    contracts: openapi,
    note: 'bytes are texts in its types: send them by `bodySerializer`, read them with `parseAs`',
  },
  {
    name: 'hey-api',
    generator: '@hey-api/openapi-ts',
    version: '0.99.0',
    language: 'TypeScript',
    contracts: openapi,
    note: 'runs on Node 22.18 or later; its clients on earlier ones too',
  },
  {
    name: 'orval',
    generator: 'orval (fetch)',
    version: '8.38.0',
    language: 'TypeScript',
    contracts: openapi,
    note: 'runs on Node 22.18 or later; its clients on earlier ones too',
  },
  {
    name: 'oazapfts',
    generator: 'oazapfts',
    version: '7.5.0',
    language: 'TypeScript',
    contracts: openapi,
    note: 'reads bytes as text wherever an error may be JSON: take labels as `zpl`',
  },
  {
    name: 'swagger-typescript-api',
    generator: 'swagger-typescript-api',
    version: '13.13.0',
    language: 'TypeScript',
    contracts: openapi,
    note: 'makes JSON of bytes: send pictures of a proof by `fetch`',
  },
  {
    name: 'openapi-typescript-codegen',
    generator: 'openapi-typescript-codegen',
    version: '0.31.0',
    language: 'TypeScript',
    contracts: openapi,
    note: 'its token is a setting of the whole process',
  },
  openapiGenerator('typescript', 'TypeScript (fetch)'),
  {
    name: 'openapi-python-client',
    generator: 'openapi-python-client',
    version: '0.29.1',
    language: 'Python',
    contracts: openapi,
    note: 'leaves out answers that are PDF, ZPL or pictures unless `content_type_overrides` makes `application/octet-stream` of them',
  },
  openapiGenerator('python', 'Python'),
  openapiGenerator('java', 'Java'),
  openapiGenerator(
    'kotlin',
    'Kotlin',
    'set `serializationLibrary=gson,generateOneOfAnyOfWrappers=true`: else a choice of D (`sendNow`, `replayDeliveries`) is sent whole',
  ),
  {
    name: 'oapi-codegen',
    generator: 'oapi-codegen',
    version: '2.8.2',
    language: 'Go',
    contracts: openapi,
  },
  openapiGenerator('go', 'Go'),
  {
    name: 'progenitor',
    generator: 'progenitor',
    version: '0.15.1',
    language: 'Rust',
    contracts: openapi,
    note: 'of several types that a body may have it takes one only: leave `application/octet-stream` of those of a picture',
  },
  openapiGenerator('rust', 'Rust'),
  openapiGenerator('php', 'PHP', 'send the bytes of a picture as a string, not as an `SplFileObject`'),
  openapiGenerator('ruby', 'Ruby'),
  openapiGenerator('csharp', 'C#', 'there was no compiler to try it with'),
  openapiGenerator('swift', 'Swift', 'there was no compiler to try it with'),
  {
    name: 'graphql-client-preset',
    generator: '@graphql-codegen/client-preset',
    version: '6.2.0',
    language: 'TypeScript',
    contracts: ['B'],
  },
  {
    name: 'quicktype',
    generator: 'quicktype',
    version: '26.0.0',
    language: 'TypeScript',
    contracts: ['C'],
  },
  {
    name: 'datamodel-code-generator',
    generator: 'datamodel-code-generator',
    version: '0.89.0',
    language: 'Python',
    contracts: ['C'],
  },
];
