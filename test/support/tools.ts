import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, mkdirSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { describe } from '@jest/globals';

interface Tool {
  readonly names: readonly string[];
  readonly tries: string;
  /** A library that the tool needs. */
  readonly library?: { readonly name: string; isThere(path: string): boolean };
}

/** The path of SnakeYAML on Debian. */
export const SNAKEYAML = '/usr/share/java/snakeyaml.jar';

const succeeds = (command: string, args: readonly string[], cwd?: string): boolean =>
  spawnSync(command, args, { cwd, stdio: 'ignore' }).status === 0;

/** The folder of arazzo-runner for Python, which stays from one run to the next. */
export const arazzoRunner = resolve('node_modules/.cache/malote-arazzo-runner');

function hasArazzoRunner(python: string): boolean {
  mkdirSync(arazzoRunner, { recursive: true });
  const isInstalled = () => succeeds(python, ['-c', 'import arazzo_runner'], arazzoRunner);
  const install = ['-m', 'pip', 'install', '--quiet', '--target', arazzoRunner, 'arazzo-runner==0.9.6'];
  return isInstalled() || (succeeds(python, install) && isInstalled());
}

/** Programs that some tests need, but not every machine has. */
const tools = {
  redis: { names: ['redis-server'], tries: 'rate limits over a real Redis' },
  chromium: {
    names: ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'],
    tries: 'the documentation page in a real browser',
  },
  firefox: { names: ['firefox-esr', 'firefox'], tries: "a parcel's day in Firefox" },
  pgbouncer: { names: ['pgbouncer'], tries: 'the database behind PgBouncer in transaction mode' },
  zsh: { names: ['zsh'], tries: 'completion of commands in zsh' },
  php: {
    names: ['php'],
    tries: "the guide's samples of PHP",
    library: { name: 'php-curl', isThere: (path) => succeeds(path, ['-r', "exit(extension_loaded('curl') ? 0 : 1);"]) },
  },
  python: { names: ['python3'], tries: "the example receiver, the client package and the guide's samples of Python" },
  systemd: {
    names: ['systemd-notify'],
    tries: 'signs of life to a socket of systemd',
    library: { name: 'python3, which listens on it', isThere: () => succeeds('python3', ['--version']) },
  },
  go: { names: ['go'], tries: 'the example receiver in Go' },
  java: { names: ['javac'], tries: "the example receiver and the guide's samples of Java" },
  'arazzo-runner': {
    names: ['python3'],
    tries: 'journeys with another runner',
    library: { name: 'arazzo-runner of PyPI', isThere: hasArazzoRunner },
  },
  libyaml: {
    names: ['python3'],
    tries: 'published YAML with libyaml',
    library: { name: 'yaml with libyaml', isThere: (path) => succeeds(path, ['-c', 'from yaml import CSafeLoader']) },
  },
  'go-yaml': {
    names: ['go'],
    tries: 'published YAML with go-yaml',
    library: {
      name: 'go-yaml',
      isThere: (path) => succeeds(path, ['mod', 'download', 'gopkg.in/yaml.v3'], 'test/machine/languages/yaml-readers'),
    },
  },
  snakeyaml: {
    names: ['javac'],
    tries: 'published YAML with SnakeYAML',
    library: { name: SNAKEYAML, isThere: () => existsSync(SNAKEYAML) },
  },
} satisfies Record<string, Tool>;

type ToolName = keyof typeof tools;

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function located({ names, library }: Tool): { path: string } | { missing: string | undefined } {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin'];
  const path = folders.flatMap((folder) => names.map((name) => join(folder, name))).find(isExecutable);
  if (path === undefined) return { missing: names[0] };
  return library && !library.isThere(path) ? { missing: library.name } : { path };
}

/** Declares tests that need a tool. A missing tool is a printed line, or a failure with e.g. REQUIRE_REDIS=1. */
export function describeWith(name: ToolName, title: string, tests: (path: string) => void): void {
  const tool: Tool = tools[name];
  const place = located(tool);
  if ('path' in place) return void describe(title, () => tests(place.path));
  const needed = `REQUIRE_${name.toUpperCase().replace('-', '_')}`;
  if (process.env[needed] === '1') throw new Error(`${needed}=1, but ${place.missing} is not installed`);
  process.stderr.write(`note: not tried: ${tool.tries} (${place.missing} is not installed)\n`);
  describe.skip(title, () => tests(''));
}
