import { adding, go, JAVAC, jvm, python, typescriptAlone } from './steps.js';
import { about, EXAMPLE, type Trial } from './trial.js';

/** Generators for contracts without OpenAPI: GraphQL and the schema of the webhook. */

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
  {
    ...about('quicktype', 'quicktype', '26.0.0', 'TypeScript', ['C']),
    steps: {
      ...typescriptAlone('quicktype.ts', '"quicktype@$VERSION"', { args: EXAMPLE }),
      generate: `mkdir -p "$CONTRACT"
        node_modules/.bin/quicktype --src-lang schema --lang typescript --top-level TrackingPayload \\
          --out "$CONTRACT/payload.ts" "$DOCUMENT"`,
    },
  },
];

const datamodel: Trial = {
  ...about('datamodel-code-generator', 'datamodel-code-generator', '0.89.0', 'Python', ['A', 'C', 'D']),
  note: 'set `--strict-nullable`: else an order without `external_id`, which is there and null, is refused',
  steps: {
    ...python('datamodel-code-generator.py', '"datamodel-code-generator==$VERSION" "pydantic[email]==2.14.3"'),
    generate: 'environment/bin/datamodel-codegen --strict-nullable --input "$DOCUMENT" --output "malote_$CONTRACT.py"',
    compile: 'environment/bin/python -c "import malote_$CONTRACT"',
    drive: `environment/bin/python drive.py ${EXAMPLE}`,
  },
};

/** The one that genqlient names does not compile with Go 1.25 and later. */
const GO_TOOLS = 'golang.org/x/tools@v0.52.0';

const goTrials: readonly Trial[] = [
  {
    ...about('genqlient', 'genqlient', '0.8.1', 'Go', ['B']),
    note: 'set `optional: pointer`: else what is left out of an input, such as `externalId`, is sent as an empty text, which is refused',
    steps: {
      ...go('genqlient.go', `github.com/Khan/genqlient@v0.8.1 ${GO_TOOLS}`),
      written: {
        'genqlient.yaml': `schema: schema.graphql
operations: [operations.graphql]
generated: B/generated.go
optional: pointer\n`,
        'operations.graphql': `mutation Login($input: LoginInput!) { login(input: $input) { user { apiKey } } }
query PaymentMethods { paymentMethods { id } }
query Orders($first: Int!) { orders(first: $first) { edges { node { pk externalId packages { promisedDate } } } } }
mutation CreateOrder($input: CreateOrderInput!) {
  createOrder(input: $input) { success orders { pk pricing { totalCm } } errors { field code } }
}\n`,
      },
      generate: `mkdir -p B\ncp "$DOCUMENT" schema.graphql\ngo run github.com/Khan/genqlient genqlient.yaml\ngo mod tidy`,
    },
  },
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

export const schemaTrials: readonly Trial[] = [...typescriptTrials, datamodel, ...goTrials, pojo];
