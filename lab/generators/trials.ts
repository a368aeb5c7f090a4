import { schemaTrials } from './schema-trials.js';
import { adding, cargo, go, JAVAC, jvm, php, python, ruby, rust } from './steps.js';
import { about, openapiFor, type Trial } from './trial.js';
import { typescriptTrials } from './typescript-trials.js';

/** Left alone, openapi-generator's clients of Java and Go refuse an answer's fields that they do not know. */
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
      // It formats what it has made by ruff.
      generate: `PATH="$PWD/environment/bin:$PATH" openapi-python-client generate --path "$DOCUMENT" --meta none \\
        --config config.yaml --overwrite --output-path "malote_$CONTRACT"`,
    },
  },
  openapiFor('python', ['python', 'Python'], 'packageName=malote_$CONTRACT', {
    ...python(
      'openapi-generator-python.py',
      'pydantic==2.14.3 python-dateutil==4.0.0 urllib3==2.8.0 typing-extensions==4.16.0 lazy-imports==1.2.0',
    ),
    compile: 'mv "$CONTRACT/malote_$CONTRACT" .\nenvironment/bin/python import_all.py "malote_$CONTRACT"',
  }),
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
  openapiFor(
    'kotlin',
    ['kotlin', 'Kotlin'],
    'packageName=malote.$CONTRACT,serializationLibrary=gson,generateOneOfAnyOfWrappers=true',
    jvm(
      { 'Drive.kt': 'openapi-generator-kotlin.kt' },
      [
        'org.jetbrains.kotlin:kotlin-compiler-embeddable:2.4.0',
        'org.jetbrains.kotlin:kotlin-stdlib-jdk8:2.4.0',
        'org.jetbrains.kotlin:kotlin-reflect:2.4.0',
        'com.google.code.gson:gson:2.13.2',
        'com.squareup.okhttp3:okhttp-jvm:5.4.0',
      ],
      {
        command: `java -Xmx2g -cp "$(cat classpath)" org.jetbrains.kotlin.cli.jvm.K2JVMCompiler -nowarn -no-stdlib \\
          -no-reflect -classpath "$(cat classpath):classes" -d classes`,
        sources: '"$CONTRACT/src/main/kotlin"',
        main: 'DriveKt',
      },
    ),
    'set `serializationLibrary=gson,generateOneOfAnyOfWrappers=true`: else a choice of D (`sendNow`, `replayDeliveries`) is sent whole',
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
  openapiFor(
    'go',
    ['go', 'Go'],
    `${OPEN},packageName=malote$CONTRACT,withGoMod=false`,
    go('openapi-generator-go.go', 'gopkg.in/validator.v2@v2.0.1'),
    openNote,
  ),
];

const generatedCrate = (name: string): string =>
  cargo(name, [
    'progenitor = "=0.15.1"',
    'progenitor-client = "=0.15.1"',
    'bytes = "1"',
    'chrono = { version = "0.4", features = ["serde"] }',
    'futures = "0.3"',
    'regress = "0.12"',
    'reqwest = { version = "0.13", default-features = false, features = ["json", "query", "stream"] }',
    'serde = { version = "1", features = ["derive"] }',
    'serde_json = "1"',
    'serde_urlencoded = "0.7"',
    'uuid = { version = "1", features = ["serde", "v4"] }',
  ]);
const TOKIO = 'tokio = { version = "1", features = ["macros", "rt-multi-thread"] }';
const UUID = 'uuid = { version = "1", features = ["v4"] }';
const GENERATING_MACRO = 'progenitor::generate_api!(spec = "document.json", interface = Builder);\n';

const rustTrials: readonly Trial[] = [
  {
    ...about('progenitor', 'progenitor', '0.15.1', 'Rust'),
    note: 'tried with `interface = Builder`; of several types that a body may have it takes one only: leave `application/octet-stream` of those of a picture',
    steps: adding(
      rust('progenitor.rs', [
        'malote-a = { path = "../A" }',
        'malote-d = { path = "../D" }',
        'chrono = "0.4"',
        'futures = "0.3"',
        'reqwest = { version = "0.13", default-features = false }',
        'serde_json = "1"',
        TOKIO,
        UUID,
      ]),
      {
        copied: { 'one-type.mjs': 'one-type.mjs' },
        written: {
          'A/Cargo.toml': generatedCrate('malote-a'),
          'D/Cargo.toml': generatedCrate('malote-d'),
          'A/src/lib.rs': GENERATING_MACRO,
          'D/src/lib.rs': GENERATING_MACRO,
        },
        // A macro generates the client while it is compiled; it takes the form from the name of the file.
        generate: `document="document.\${DOCUMENT##*.}"
          node one-type.mjs "$DOCUMENT" "$CONTRACT/$document"
          sed -i "s/document\\.[a-z]*/$document/" "$CONTRACT/src/lib.rs"`,
      },
    ),
  },
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

const NO_COMPILER = 'there was no compiler to try it with';

const otherTrials: readonly Trial[] = [
  openapiFor(
    'php',
    ['php', 'PHP'],
    'invokerPackage=Malote$CONTRACT',
    php('openapi-generator-php.php'),
    'send the bytes of a picture as a string, not as an `SplFileObject`',
  ),
  openapiFor(
    'ruby',
    ['ruby', 'Ruby'],
    'gemName=malote_$CONTRACT,moduleName=Malote$CONTRACT,library=typhoeus',
    ruby('openapi-generator-ruby.rb'),
    'tried with `library=typhoeus`',
  ),
  openapiFor('csharp', ['csharp', 'C#'], 'packageName=Malote$CONTRACT', {}, NO_COMPILER),
  openapiFor('swift', ['swift6', 'Swift'], 'projectName=Malote$CONTRACT', {}, NO_COMPILER),
];

export const trials: readonly Trial[] = [
  ...typescriptTrials,
  ...pythonTrials,
  ...jvmTrials,
  ...goTrials,
  ...rustTrials,
  ...otherTrials,
  ...schemaTrials,
];
