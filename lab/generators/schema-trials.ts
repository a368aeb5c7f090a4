import { adding, go, JAVAC, jvm, typescriptAlone } from './steps.js';
import { about, EXAMPLE, type Trial } from './trial.js';

/** Generators for the contracts that are not OpenAPI: GraphQL, and the webhook's JSON Schema. */

const typescriptTrials: readonly Trial[] = [
  {
    ...about('graphql-client-preset', '@graphql-codegen/client-preset', '6.2.0', 'TypeScript', ['B']),
    note: 'tried with `fragmentMasking: false`',
    steps: adding(
      typescriptAlone(
        'graphql-client-preset.ts',
        '"@graphql-codegen/client-preset@$VERSION" @graphql-codegen/cli@7.4.3 @graphql-typed-document-node/core@3.2.0 graphql@16.15.0 typescript@5.9.3',
        { compiles: 'client.ts' },
      ),
      {
        written: {
          'codegen.mjs': `const { DOCUMENT: schema } = process.env;
const generates = { './B/': { preset: 'client', presetConfig: { fragmentMasking: false } } };
export default { schema, documents: ['client.ts'], generates };`,
        },
        generate: 'node_modules/.bin/graphql-codegen --config codegen.mjs',
      },
    ),
  },
];

const goTrials: readonly Trial[] = [
  {
    ...about('go-jsonschema', 'go-jsonschema', '0.24.1', 'Go', ['C']),
    steps: {
      ...go('go-jsonschema.go', 'github.com/atombender/go-jsonschema@v0.24.1'),
      generate: `mkdir -p "$CONTRACT"
        go run github.com/atombender/go-jsonschema --package malotec --output "$CONTRACT/payload.go" "$DOCUMENT"`,
      drive: `go run . ${EXAMPLE}`,
    },
  },
];

const pojo: Trial = {
  ...about('jsonschema2pojo', 'jsonschema2pojo', '1.2.1', 'Java', ['C']),
  note: 'have Jackson ignore unknown fields (`FAIL_ON_UNKNOWN_PROPERTIES`); its times are a `Date` of milliseconds unless `--datetime-class java.time.Instant`',
  steps: {
    ...jvm({ 'Drive.java': 'jsonschema2pojo.java' }, ['org.jsonschema2pojo:jsonschema2pojo-cli:1.2.1'], {
      command: JAVAC,
      sources: `$(find C -name '*.java')`,
      main: `Drive ${EXAMPLE}`,
    }),
    generate: `java -cp "$(cat classpath)" org.jsonschema2pojo.cli.Jsonschema2PojoCLI --source "$DOCUMENT" \\
      --target C --package malote.C`,
  },
};

export const schemaTrials: readonly Trial[] = [...typescriptTrials, ...goTrials, pojo];
