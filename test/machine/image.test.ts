import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { cp, lstat, mkdir, readdir, readFile, symlink } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { parseEnv, promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { build } from 'esbuild';
import { parse } from 'yaml';
import { orderBody } from '../support/bodies.js';
import { ownFolder } from '../support/folder.js';
import { accessToken, ask } from '../support/http.js';
import { type OtlpReceiver, startOtlpReceiver } from '../support/otlp.js';
import { freePort } from '../support/port.js';
import { type Program, startProgram } from '../support/processes/program.js';
import { waitFor } from '../support/receiver.js';
import { ownDatabase } from '../support/services.js';

/** Builds the image of a Dockerfile without an engine: a stage is a folder, in which instructions are run. */

const execute = promisify(execFile);

type Instruction = { name: string; text: string };

interface Image {
  /** The folder that stands for WORKDIR. */
  folder: string;
  environment: Record<string, string>;
  command: string[];
  healthcheck: string[];
  user: string | undefined;
}

function instructionsIn(dockerfile: string): Instruction[] {
  const lines = dockerfile
    .replaceAll(/^\s*#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n');
  return lines.filter(Boolean).map((line) => {
    const [, name = '', text = ''] = /^(\w+) (.*)$/.exec(line) ?? [];
    return { name, text };
  });
}

/** Builds all stages in `root`, from the sources in the working directory. The last stage is the image. */
async function makeImage(dockerfile: string, root: string): Promise<Image> {
  const stages = new Map<string, Image>();
  let image: Image | undefined;
  for (const { name, text } of instructionsIn(await readFile(dockerfile, 'utf8'))) {
    if (name === 'FROM') {
      const stage = / AS (\w+)$/.exec(text)?.[1] ?? 'image';
      image = { folder: join(root, stage), environment: {}, command: [], healthcheck: [], user: undefined };
      stages.set(stage, image);
      await mkdir(image.folder);
    } else if (image) await follow({ name, text }, image, stages);
  }
  if (!image) throw new Error(`${dockerfile} has no stage`);
  return image;
}

async function follow({ name, text }: Instruction, image: Image, stages: ReadonlyMap<string, Image>): Promise<void> {
  if (name === 'COPY') await copy(text.split(' '), image, stages);
  else if (name === 'RUN') await run(text, image);
  else if (name === 'ENV' || name === 'ARG') {
    for (const [, key = '', value = ''] of text.matchAll(/(\w+)=(\S*)/g)) image.environment[key] = value;
  } else if (name === 'USER') image.user = text;
  else if (name === 'CMD') image.command = JSON.parse(text);
  else if (name === 'HEALTHCHECK') image.healthcheck = JSON.parse(text.slice(text.indexOf('CMD ') + 4));
  else if (!['EXPOSE', 'LABEL'].includes(name) && !(name === 'WORKDIR' && text === '/app'))
    throw new Error(`cannot do ${name} ${text}`);
}

async function copy(words: readonly string[], image: Image, stages: ReadonlyMap<string, Image>): Promise<void> {
  const stage = stages.get(/^--from=(\w+)$/.exec(words[0] ?? '')?.[1] ?? '');
  const sources = words.slice(stage ? 1 : 0, -1);
  const target = words.at(-1) ?? '';
  for (const source of sources) {
    const from = stage ? join(stage.folder, source.replace(/^\/app\//, '')) : resolve(source);
    const to = join(image.folder, target, target.endsWith('/') ? basename(source) : '');
    await cp(from, to, { recursive: true });
  }
}

/** Runs a command. Development packages are a link to those of this checkout, which have the same lock file. */
async function run(command: string, { folder, environment }: Image): Promise<void> {
  if (command === 'npm ci') return symlink(resolve('node_modules'), join(folder, 'node_modules'));
  const { PATH, HOME } = process.env;
  const cache = { npm_config_prefer_offline: 'true', npm_config_update_notifier: 'false' };
  // The build of the image must not clean the cache of this machine.
  const script = command.replace(' && npm cache clean --force', '');
  await execute('sh', ['-e', '-c', script], { cwd: folder, env: { PATH, HOME, ...cache, ...environment } });
}

/** The image of deploy/Dockerfile, built without a container engine: its files, its size, and its processes. */

const MEBIBYTE = 1_048_576;
const MAX_BYTES = 150 * MEBIBYTE;

const root = await ownFolder();
const emptyFolder = await ownFolder();
const database = await ownDatabase();
let image: Image;
beforeAll(async () => {
  image = await makeImage('deploy/Dockerfile', root);
});

/** The bytes that a folder takes on the disk, as `du` counts them. */
async function bytesBelow(folder: string): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const sizes = await Promise.all(
    entries.map(async (entry) => (await lstat(join(entry.parentPath, entry.name))).blocks * 512),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

describe('the image', () => {
  test('has the build and its runtime packages, and runs as an unprivileged user', async () => {
    const files = ['.npmrc', 'dist', 'node_modules', 'package-lock.json', 'package.json', 'sbom.cdx.json'];
    expect((await readdir(image.folder)).sort()).toEqual(files);
    expect(image.user).toBe('node');
    expect(await readFile('deploy/Dockerfile', 'utf8')).toMatch(/^FROM node:24\.\d+\.\d+-bookworm-slim$/m);
  });

  test('has packages of at most 150 MB, and no prerelease versions', async () => {
    expect(await bytesBelow(join(image.folder, 'node_modules'))).toBeLessThan(MAX_BYTES);
    const { packages } = JSON.parse(await readFile(join(image.folder, 'node_modules/.package-lock.json'), 'utf8'));
    const versions = Object.entries<{ version: string }>(packages).map(([path, { version }]) => `${path} ${version}`);
    expect(versions.length).toBeGreaterThan(100);
    expect(versions.filter((each) => / \d+\.\d+\.\d+-/.test(each))).toEqual([]);
  });

  test('lists exactly its packages in a bill of materials', async () => {
    const text = await readFile(join(image.folder, 'sbom.cdx.json'), 'utf8');
    const { bomFormat, components }: { bomFormat: string; components: { purl: string }[] } = JSON.parse(text);
    const { packages } = JSON.parse(await readFile(join(image.folder, 'node_modules/.package-lock.json'), 'utf8'));
    const installed = Object.entries<{ version: string; link?: boolean }>(packages).flatMap(([path, { version }]) => {
      const [, name] = /node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(path) ?? [];
      return name === undefined ? [] : `pkg:npm/${name}@${version}`.replace('/@', '/%40');
    });
    expect(bomFormat).toBe('CycloneDX');
    expect(components.map(({ purl }) => purl).sort()).toEqual([...new Set(installed)].sort());
  });

  test('has every package that its modules import', async () => {
    const { metafile } = await build({
      absWorkingDir: image.folder,
      entryPoints: ['api', 'worker', 'malote'].map((name) => `dist/src/${name}.js`),
      outdir: 'unused',
      write: false,
      bundle: true,
      metafile: true,
      platform: 'node',
      format: 'esm',
      loader: { '.node': 'empty' },
      // Optional parts of packages, which are used only if they exist.
      external: ['@img/*', '@node-rs/*', 'pg-native'],
      logLevel: 'silent',
    });
    expect(Object.keys(metafile.inputs).filter((path) => path.startsWith('dist/')).length).toBeGreaterThan(50);
  });
});

type Services = Record<string, { command: string[]; environment: Record<string, string> }>;

/** The services of deploy/compose.yaml, with values for settings that .env.example leaves empty. */
async function composed(): Promise<Services> {
  const values = parseEnv(await readFile('deploy/.env.example', 'utf8'));
  const filledIn = (name: string): string =>
    values[name] || (/_KEYS|_SECRETS$/.test(name) ? `k1:${randomBytes(32).toString('base64')}` : 'a-password-of-tests');
  const text = (await readFile('deploy/compose.yaml', 'utf8')).replaceAll(
    /\$\{(\w+):([?-])(.*?)\}/g,
    (_, name: string, sign: string, otherwise: string) => (sign === '-' ? otherwise : filledIn(name)),
  );
  return parse(text, { merge: true }).services;
}

describe('its processes', () => {
  const started: Program[] = [];
  let traces: OtlpReceiver;
  let services: Services;
  let settings: Record<string, string>;
  let ports: { api: number; internal: number };

  beforeAll(async () => {
    traces = await startOtlpReceiver();
    ports = { api: await freePort(), internal: await freePort() };
    services = await composed();
    settings = {
      PATH: process.env['PATH'] ?? '',
      HOME: root,
      ...image.environment,
      ...services['service']?.environment,
      DATABASE_URL: database.url,
      OTEL_EXPORTER_OTLP_ENDPOINT: traces.url,
      OTEL_BSP_SCHEDULE_DELAY: '25',
      PORT: String(ports.api),
      INTERNAL_PORT: String(ports.internal),
    };
  });
  afterAll(async () => {
    await Promise.all(started.map(({ signal }) => signal('SIGTERM')));
    await traces.close();
  });

  async function start([program = '', ...words]: readonly string[], env: Record<string, string>): Promise<void> {
    const log = join(root, `log of ${env['INTERNAL_PORT']}`);
    const isReady = async () => (await fetch(`http://127.0.0.1:${env['INTERNAL_PORT']}/readyz`)).ok;
    started.push(await startProgram([program, ...words], { cwd: image.folder, env, log }, isReady));
  }

  test('say in one line that DATABASE_URL is missing', async () => {
    const [program = '', ...words] = image.command;
    const { DATABASE_URL, ...without } = settings;
    const failed = await promisify(execFile)(program, words, { cwd: image.folder, env: without }).catch((e) => e);
    expect([failed.code, failed.stdout]).toEqual([1, '']);
    expect(failed.stderr).toMatch(/^malote: DATABASE_URL must be set: [^\n]*\n$/);
  });

  test('start with the CMD, become ready, and pass the HEALTHCHECK', async () => {
    await start(image.command, settings);
    const [program = '', ...words] = image.healthcheck;
    await promisify(execFile)(program, words, { cwd: image.folder, env: settings });
  });

  test.each([
    ['/', 'text/html', 'Malote'],
    ['/docs', 'text/html', 'swagger-ui'],
    ['/docs/swagger-ui.css', 'text/css', '.swagger-ui'],
    ['/docs/swagger-ui-bundle.js', 'text/javascript', 'SwaggerUIBundle'],
    ['/docs/guide/quickstart', 'text/html', 'hljs-'],
    ['/graphql', 'text/html', 'GraphiQL'],
  ])('serve %s completely, without the packages that it is built from', async (path, type, text) => {
    const answer = await fetch(`http://127.0.0.1:${ports.api}${path}`, { headers: { Accept: 'text/html' } });
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, `${type}; charset=utf-8`]);
    expect(await answer.text()).toContain(text);
  });

  test('publish the client packages, whose commands run in an empty directory', async () => {
    const at = `http://127.0.0.1:${ports.api}/docs/clients`;
    const sums = await (await fetch(`${at}/SHA256SUMS`)).text();
    const files = [...sums.matchAll(/^([0-9a-f]{64}) {2}(\S+)$/gm)].map(([, sum = '', name = '']) => ({ name, sum }));
    expect(files.map(({ name }) => name)).toEqual([
      expect.stringMatching(/^malote-\d+\.\d+\.\d+-py3-none-any\.whl$/),
      expect.stringMatching(/^malote-client-\d+\.\d+\.\d+\.tgz$/),
    ]);
    for (const { name, sum } of files) {
      const bytes = Buffer.from(await (await fetch(`${at}/${name}`)).arrayBuffer());
      expect(createHash('sha256').update(bytes).digest('hex')).toBe(sum);
    }
    const args = ['--yes', `--package=${at}/${files[1]?.name}`, 'malote-client', 'verify-receiver', '--help'];
    const { stdout } = await promisify(execFile)('npx', args, { cwd: emptyFolder });
    expect(stdout).toContain('malote-client verify-receiver https://hooks.example.com/malote');
  });

  test('print labels, which need fonts and bar codes', async () => {
    const base = `http://127.0.0.1:${ports.api}`;
    const shipper = { email: 'loja@malote.test', password: 'a-password-of-tests' };
    const operator = { email: settings['OPERATOR_EMAIL'] ?? '', password: settings['OPERATOR_PASSWORD'] ?? '' };
    const user = { ...shipper, name: 'Loja', phone: '+5511912345678' };
    await ask(base, 'POST', '/api/v1/users', { token: await accessToken(base, operator), body: user });
    const token = await accessToken(base, shipper);
    const order = await ask(base, 'POST', '/api/v1/orders', { token, body: orderBody() });
    for (const [format, start] of [
      ['pdf', '%PDF-'],
      ['zpl', '^XA'],
    ]) {
      const path = `/api/v1/orders/${JSON.parse(order.text).id}/labels?format=${format}`;
      const { status, text } = await ask(base, 'GET', path, { token });
      expect([status, text.slice(0, start?.length)]).toEqual([200, start]);
    }
  });

  test('send traces', async () => {
    await waitFor(() => traces.spans.length > 0, 'spans of the service');
  });

  test('start as the services of compose.yaml, each with its command', async () => {
    const { service, worker, postgres } = services;
    expect(Object.keys(services)).toEqual(['service', 'worker', 'postgres']);
    expect(postgres?.environment['POSTGRES_PASSWORD']).toBe('a-password-of-tests');
    for (const each of [service, worker]) {
      const internal = { PORT: String(await freePort()), INTERNAL_PORT: String(await freePort()) };
      await start(each?.command ?? [], { ...settings, ...internal });
    }
  });
});
