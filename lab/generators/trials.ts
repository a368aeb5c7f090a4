import { schemaTrials } from './schema-trials.js';
import { adding, go, JAVAC, jvm, python, rust } from './steps.js';
import { about, openapiFor, type Trial } from './trial.js';
import { typescriptTrials } from './typescript-trials.js';

/** By default, openapi-generator's Java client refuses unknown fields in an answer. */
const OPEN = 'disallowAdditionalPropertiesIfNotPresent=false';
const openNote = `set \`${OPEN}\`: else an answer's new field is refused`;

const pythonTrials: readonly Trial[] = [
  {
    ...about('openapi-python-client', 'openapi-python-client', '0.29.1', 'Python'),
    note: 'leaves out pictures as answers, and PDF and ZPL unless `content_type_overrides` makes `application/octet-stream` of them',
    steps: {
      ...python('openapi-python-client.py', '"openapi-python-client==$VERSION" ruff==0.14.0'),
      written: {
        'config.yaml':
          'content_type_overrides: { application/pdf: application/octet-stream, application/zpl: application/octet-stream }\n',
      },
      // The generator formats its output with ruff.
      generate: `PATH="$PWD/environment/bin:$PATH" openapi-python-client generate --path "$DOCUMENT" --meta none \\
        --config config.yaml --overwrite --output-path "malote_$CONTRACT"`,
    },
  },
];

const jvmTrials: readonly Trial[] = [
  openapiFor(
    'java',
    ['java', 'Java'],
    `${OPEN},invokerPackage=malote.$CONTRACT,apiPackage=malote.$CONTRACT.api,modelPackage=malote.$CONTRACT.model`,
    jvm(
      { 'Drive.java': 'openapi-generator-java.java' },
      [
        'com.squareup.okhttp3:okhttp:4.12.0',
        'com.squareup.okhttp3:logging-interceptor:4.12.0',
        'com.google.code.gson:gson:2.10.1',
        'io.gsonfire:gson-fire:1.9.0',
        'org.apache.commons:commons-lang3:3.18.0',
        'jakarta.annotation:jakarta.annotation-api:1.3.5',
        'org.openapitools:jackson-databind-nullable:0.2.11',
        'com.google.code.findbugs:jsr305:3.0.2',
        'jakarta.ws.rs:jakarta.ws.rs-api:2.1.6',
      ],
      {
        command: JAVAC,
        sources: `$(find "$CONTRACT/src/main" -name '*.java')`,
        main: 'Drive',
      },
    ),
    openNote,
  ),
];

const goTrials: readonly Trial[] = [
  {
    ...about('oapi-codegen', 'oapi-codegen', '2.8.2', 'Go'),
    steps: adding(go('oapi-codegen.go', 'github.com/oapi-codegen/runtime@v1.8.0 github.com/google/uuid@v1.6.0'), {
      install: 'GOBIN="$CACHE/go" go install "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v$VERSION"',
      generate: `mkdir -p "$CONTRACT"
        "$CACHE/go/oapi-codegen" -generate types,client -package "malote$CONTRACT" -o "$CONTRACT/client.go" "$DOCUMENT"
        go mod tidy`,
    }),
  },
];

const TOKIO = 'tokio = { version = "1", features = ["macros", "rt-multi-thread"] }';
const UUID = 'uuid = { version = "1", features = ["v4"] }';
const rustTrials: readonly Trial[] = [
  openapiFor(
    'rust',
    ['rust', 'Rust'],
    'packageName=malote-$CONTRACT',
    rust('openapi-generator-rust.rs', [
      'malote-a = { path = "../A", package = "malote-A" }',
      'malote-d = { path = "../D", package = "malote-D" }',
      'chrono = "0.4"',
      TOKIO,
      UUID,
    ]),
  ),
];

export const trials: readonly Trial[] = [
  ...typescriptTrials,
  ...pythonTrials,
  ...jvmTrials,
  ...goTrials,
  ...rustTrials,
  ...schemaTrials,
];
