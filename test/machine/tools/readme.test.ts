import { type ChildProcess, spawn } from 'node:child_process';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Block, blocksOf, bothSides } from '../../docs/both-sides.js';
import { ownFolder } from '../../support/folder.js';
import { freePort } from '../../support/port.js';
import { waitFor } from '../../support/receiver.js';

/** Every block of README.md, CONTRIBUTING.md and the quickstart runs unchanged, and prints the shown output. */

/** Commands that run until they are stopped, each in its own shell, with the text that they print when ready. */
const lastingCommands = new Map([
  ['cli -- listen', 'Listening at'],
  ['make run', 'Malote is ready'],
  ['make demo KEEP=1', 'Ctrl-C ends it'],
]);
/** The tests are installed and built once, so `make` must not install or build again. */
const MAKE = 'make() { command make -o install -o build "$@"; }\n';

/** A busy machine builds slowly. Only a command that hangs takes longer than this. */
const MAX_MS = 900_000;

interface Shell {
  printed(): string;
  /** Runs a text and resolves to its output; rejects when any command of it fails. */
  run(text: string): Promise<string>;
  stop(): Promise<void>;
}

let environment: NodeJS.ProcessEnv;
let ports: { api: number; internal: number; receiver: number };
const shells: Shell[] = [];

/** Tells whether `dist/` is newer than its sources. */
async function isBuilt(): Promise<boolean> {
  const files = (await Promise.all(['src', 'generated', 'contracts'].map((root) => filesBelow(root)))).flat();
  const times = await Promise.all(files.map(async (file) => (await stat(file)).mtimeMs));
  const built = await stat('dist/src/api.js').catch(() => undefined);
  return built !== undefined && built.mtimeMs > Math.max(...times);
}

async function filesBelow(root: string): Promise<string[]> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}

/** Sends a signal to a shell and its processes. 0 only checks them. False if none of them runs any more. */
function signalled({ pid }: ChildProcess, signal: 'SIGTERM' | 0): boolean {
  try {
    return pid !== undefined && process.kill(-pid, signal);
  } catch {
    return false;
  }
}

function openShell(settings: NodeJS.ProcessEnv = {}): Shell {
  const child: ChildProcess = spawn('bash', ['-e', '-o', 'pipefail'], {
    env: { ...environment, ...settings },
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  child.stdin?.write(MAKE);
  let [printed, blocks] = ['', 0];
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (printed += String(chunk)));
  let isOver = false;
  child.once('exit', () => {
    isOver = true;
  });
  const shell: Shell = {
    printed: () => printed,
    run: async (text) => {
      const from = printed.length;
      const end = `--- end of block ${++blocks}`;
      child.stdin?.write(`{\n${text}\n} < /dev/null\necho '${end}'\n`);
      await waitFor(() => printed.includes(end) || isOver, text, MAX_MS);
      if (!printed.includes(end)) throw new Error(`failed:\n${text}\nprinted:\n${printed.slice(from)}`);
      return printed.slice(from).replace(`${end}\n`, '');
    },
    stop: async () => {
      if (signalled(child, 'SIGTERM')) await waitFor(() => !signalled(child, 0), 'the end of a shell');
    },
  };
  shells.push(shell);
  return shell;
}

beforeAll(async () => {
  ports = { api: await freePort(), internal: await freePort(), receiver: await freePort() };
  environment = {
    PATH: process.env['PATH'],
    HOME: folder,
    DATA_DIR: join(folder, 'data'),
    PORT: String(ports.api),
    INTERNAL_PORT: String(ports.internal),
    WEBHOOK_PORTS: String(ports.receiver),
    // A busy machine connects slowly.
    DATABASE_CONNECT_TIMEOUT_MS: '60000',
  };
  if (!(await isBuilt())) await openShell({ HOME: process.env['HOME'] }).run('npm run --silent build');
}, MAX_MS);

// The shells stop before the folder is removed.
afterAll(() => Promise.all(shells.map((shell) => shell.stop())));
const folder = await ownFolder();

/** The text without the parts that differ from run to run. */
const withoutChance = (text: string): string =>
  text
    .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<id>')
    .replaceAll(/localhost:\d+/g, 'localhost:<port>')
    .replaceAll(/\bana-[0-9a-f]{8}@/g, 'ana-<id>@')
    .replaceAll(/\b\d\d:\d\d:\d\d\b/g, '<time>')
    .replaceAll(/\b[0-9A-HJKMNP-TV-Z]{12}\b/g, '<code>');

/** True if `printed` has the pieces of `shown` between its ellipses, in their order. */
function shows(printed: string, shown: string): boolean {
  let rest = withoutChance(printed);
  return withoutChance(shown)
    .split('…')
    .every((piece) => {
      const at = rest.indexOf(piece.trim());
      rest = rest.slice(at + piece.trim().length);
      return at >= 0;
    });
}

/** Pastes blocks into shells, and waits for the output shown below them. */
async function paste(blocks: readonly Block[], calls: Shell): Promise<void> {
  let latest = '';
  for (const { language, text } of blocks) {
    const here = text.replaceAll('localhost:3000', `localhost:${ports.api}`).replaceAll('8443', String(ports.receiver));
    const lasting = [...lastingCommands].find(([command]) => text.includes(command));
    if (language === 'text') {
      const isShown = async () => [latest, ...shells.map((shell) => shell.printed())].some((each) => shows(each, text));
      await waitFor(isShown, `what is shown:\n${text}\nafter:\n${latest}`);
    } else if (lasting) {
      const shell = openShell();
      const ended = shell.run(here);
      ended.catch(() => undefined);
      const isReady = async () => shell.printed().includes(lasting[1]);
      await Promise.race([ended, waitFor(isReady, `${lasting[0]} to be ready`, MAX_MS)]);
    } else {
      latest = await calls.run(here);
      expect(latest).not.toMatch(/"error"|"errors":\[\{/);
    }
  }
}

test(
  'the blocks of CONTRIBUTING.md and the quickstart print the shown outputs',
  async () => {
    await paste(bothSides(), openShell({ MALOTE_URL: `http://localhost:${ports.api}` }));
  },
  MAX_MS,
);

test(
  'the demo of README.md keeps running, has tracking pages, accepts five calls, and ends when it is asked to',
  async () => {
    const [demo, shown, calls] = blocksOf('README.md');
    if (!demo || !shown || !calls) throw new Error('README.md shows less than a demo and some calls.');
    await paste([demo, shown], openShell());
    const shell = shells.at(-1);
    const printed = shell?.printed() ?? '';
    const links = printed.match(/http:\S+\/t\/\S+/g) ?? [];
    expect(links.length).toBeGreaterThan(3);
    for (const link of links) expect((await fetch(link)).status).toBe(200);
    const customer = openShell();
    await customer.run(/for requests +(URL=.*)/.exec(printed)?.[1] ?? 'false');
    const answers = await customer.run(calls.text.replace('labels.pdf', join(folder, 'labels.pdf')));
    expect(answers).toMatch(/^\d+\.\d\d\nhttp:\S+\/t\/\S{52}\n$/);
    expect(await readFile(join(folder, 'labels.pdf'), 'latin1')).toMatch(/^%PDF-/);
    await shell?.stop();
    await expect(fetch(links[0] ?? '')).rejects.toThrow();
  },
  MAX_MS,
);

test('the test finds an output that differs from the document', () => {
  expect(shows('a 01a200bd-001a-752a-b20c-65ebfdac5888 b\nc', 'a 11a200bd-001a-752a-b20c-65ebfdac5880…c')).toBe(true);
  expect(shows('a b\nc', 'c…a')).toBe(false);
});
