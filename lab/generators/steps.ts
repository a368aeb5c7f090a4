/**
 * Steps of a trial, in Bash. They run in the trial's folder with these variables: ROOT is the project, CACHE the folder
 * of installed packages, NAME and VERSION describe the trial, CONTRACT is a letter, and DOCUMENT is the contract's
 * file. A step ends with 77 if the machine lacks a tool.
 */
export interface Steps {
  /** Files of clients/, by their names in the trial's folder. */
  readonly copied?: Readonly<Record<string, string>>;
  /** Files to write to the trial's folder, by name. */
  readonly written?: Readonly<Record<string, string>>;
  readonly install?: string;
  readonly generate: string;
  readonly compile?: string;
  readonly drive?: string;
}

/** Steps of a language that are the same for all of its generators. */
type Language = Omit<Steps, 'generate'>;

/** A trial's steps in front of its language's steps. Both install their packages, one after the other. */
export const adding = (language: Language, steps: Steps): Steps => ({
  ...language,
  ...steps,
  copied: { ...language.copied, ...steps.copied },
  written: { ...language.written, ...steps.written },
  install: [language.install, steps.install].join('\n'),
});

const demand = (program: string): string => `command -v ${program} >/dev/null || exit 77`;

const tsconfig = {
  compilerOptions: {
    target: 'ES2022',
    lib: ['ES2023', 'DOM', 'DOM.Iterable'],
    module: 'ESNext',
    moduleResolution: 'bundler',
    allowImportingTsExtensions: true,
    strict: true,
    skipLibCheck: true,
    noEmit: true,
    types: [],
  },
  include: ['drive.ts', 'client.ts'],
};

const tsc = (project: string): string => `"$ROOT/node_modules/.bin/tsc" --project ${project}`;
const tsx = (script: string): string => `"$ROOT/node_modules/.bin/tsx" ${script}`;

/** TypeScript, compiled by the project's compiler. Generators come from npm. */
export function typescript(client: string, packages: string): Language {
  return {
    copied: { 'drive.ts': 'drive.ts', 'env.ts': 'env.ts', 'client.ts': client },
    written: { 'package.json': '{ "type": "module" }', 'tsconfig.json': JSON.stringify(tsconfig) },
    install: npm(packages),
    compile: compiled('$CONTRACT'),
    drive: `${tsc('tsconfig.json')}\n${tsx('drive.ts')}`,
  };
}

/** TypeScript with a separate script that runs the client. */
export const typescriptAlone = (script: string, packages: string, { compiles = '$CONTRACT', args = '' } = {}) => ({
  ...typescript(script, packages),
  compile: compiled(compiles),
  drive: `${tsx('client.ts')} ${args}`,
});

const npm = (packages: string): string => `
  tools="$CACHE/npm/$NAME-$VERSION"
  [ -d "$tools/node_modules" ] || npm install --loglevel=error --engine-strict=false --no-audit --no-fund --prefix "$tools" ${packages}
  ln -sfn "$tools/node_modules" node_modules`;

const compiled = (include: string): string => `
  echo '{ "extends": "./tsconfig.json", "include": ["'${include}'"] }' > "tsconfig.$CONTRACT.json"
  ${tsc('"tsconfig.$CONTRACT.json"')}`;

/** Python, with packages of PyPI in a virtual environment. */
export const python = (script: string, packages: string): Language => ({
  copied: { 'drive.py': script, 'import_all.py': 'import_all.py' },
  install: `
    ${demand('python3')}
    environment="$CACHE/python/$NAME-$VERSION"
    ln -sfn "$environment" environment
    [ ! -f "$environment/complete" ] || exit 0
    python3 -m venv --clear "$environment"
    "$environment/bin/pip" install --quiet ${packages}
    touch "$environment/complete"`,
  compile: 'environment/bin/python import_all.py "malote_$CONTRACT"',
  drive: 'environment/bin/python drive.py',
});

/** Go: one module for the clients of all contracts and for the program that runs them. */
export const go = (script: string, modules: string): Language => ({
  copied: { 'drive.go': script },
  install: `${demand('go')}\ngo mod init trial\ngo get ${modules}`,
  compile: `${demand('go')}\ngo vet "./$CONTRACT"`,
  drive: 'go run .',
});

/** Rust. All trials share compiled dependencies. */
export const rust = (script: string, dependencies: readonly string[]): Language => ({
  copied: { 'driver/src/main.rs': script },
  written: { 'driver/Cargo.toml': cargo('driver', dependencies) },
  compile: `${demand('cargo')}\n${CARGO} cargo check --quiet --manifest-path "$CONTRACT/Cargo.toml"`,
  drive: `${CARGO} cargo run --quiet --manifest-path driver/Cargo.toml`,
});

const CARGO = 'CARGO_TARGET_DIR="$CACHE/rust" CARGO_TERM_COLOR=never';

const cargo = (name: string, dependencies: readonly string[]): string =>
  [
    '[package]',
    `name = "${name}"`,
    'version = "1.0.0"',
    'edition = "2021"',
    '[dependencies]',
    ...dependencies,
    '',
  ].join('\n');

const MAVEN = 'mvn --quiet --batch-mode "-Dmaven.repo.local=$CACHE/maven"';

/** Java, with artifacts of Maven. `build` compiles its argument. */
export const jvm = (
  script: Readonly<Record<string, string>>,
  artifacts: readonly string[],
  build: Build,
): Language => ({
  copied: script,
  written: { 'pom.xml': pom(artifacts) },
  install: `${demand('mvn')}\n${MAVEN} dependency:build-classpath -Dmdep.outputFile=classpath`,
  compile: `${demand('mvn')}\n${build.command} ${build.sources}`,
  drive: `${build.command} ${Object.keys(script).join(' ')}\njava -cp "$(cat classpath):classes" ${build.main}`,
});

/** Prints only errors. */
export const JAVAC = 'javac -nowarn -proc:none -Xlint:none -d classes -cp "$(cat classpath):classes"';

interface Build {
  command: string;
  /** The sources of a contract's client. */
  sources: string;
  main: string;
}

function pom(artifacts: readonly string[]): string {
  const dependencies = artifacts.map((artifact) => {
    const [group, name, version] = artifact.split(':');
    return `<dependency><groupId>${group}</groupId><artifactId>${name}</artifactId><version>${version}</version></dependency>`;
  });
  const own =
    '<modelVersion>4.0.0</modelVersion><groupId>malote</groupId><artifactId>trial</artifactId><version>1</version>';
  return `<project>${own}<dependencies>${dependencies.join('')}</dependencies></project>`;
}

const JAR = '"$CACHE/maven/org/openapitools/openapi-generator-cli/$VERSION/openapi-generator-cli-$VERSION.jar"';

/** openapi-generator, run by Java, writes to the contract's folder, without tests and documents. */
export const openapiGenerator = (target: string, properties: string, language: Language): Steps =>
  adding(language, {
    install: `
    ${demand('mvn')}
    [ -f ${JAR} ] || ${MAVEN} dependency:get \\
      "-Dartifact=org.openapitools:openapi-generator-cli:$VERSION" -Dtransitive=false`,
    generate: `
    java -jar ${JAR} generate --input-spec "$DOCUMENT" --generator-name ${target} --output "$CONTRACT" \\
      --global-property apiTests=false,modelTests=false,apiDocs=false,modelDocs=false \\
      --additional-properties "${properties}"`,
  });
