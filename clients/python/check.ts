import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

/**
 * Checks the Python package with tools of PyPI. mypy checks the types of the package and of code that uses it. The
 * wheel is verified, and installed as users install it.
 */

const tools = ['cryptography==50.0.2', 'mypy==2.4.1', 'wheel==0.47.0'];
const OLDEST_PYTHON = '3.10';
const tests = fileURLToPath(new URL('../../test/machine/languages/python/', import.meta.url));
/** The virtual environment. It is kept between runs. */
const environment = fileURLToPath(new URL('../../node_modules/.cache/malote-python', import.meta.url));
const programs = join(environment, 'bin');

/** Checks the package in the folder and its wheel. Throws their faults. */
export async function checkPython(folder: string, wheel: string): Promise<void> {
  await installTools();
  const users = (await readdir(tests)).filter((name) => name.endsWith('.py')).map((name) => join(tests, name));
  await run('mypy', ['--strict', '--python-version', OLDEST_PYTHON, join(folder, 'malote')]);
  await run('mypy', ['--strict', ...users], { MYPYPATH: `${folder}:${tests}` });
  const built = await mkdtemp(join(tmpdir(), 'malote-python-'));
  try {
    // This compares each file with the digest in the wheel.
    await run('wheel', ['unpack', '--dest', built, wheel]);
    const site = join(built, 'installed');
    await run('pip', ['install', '--quiet', '--no-deps', '--target', site, wheel]);
    await run('python', ['-c', 'import malote.operator'], { PYTHONPATH: site });
  } finally {
    await rm(built, { recursive: true, force: true });
  }
}

/** Makes the virtual environment, unless it has these tools already. */
async function installTools(): Promise<void> {
  const list = join(environment, 'tools.txt');
  const wanted = `${tools.join('\n')}\n`;
  if ((await readFile(list, 'utf8').catch(() => '')) === wanted) return;
  await promisify(execFile)('python3', ['-m', 'venv', '--clear', environment]);
  await run('pip', ['install', '--quiet', ...tools]);
  await writeFile(list, wanted);
}

/** Runs a program of the environment. Rejects with its output if it fails. */
async function run(program: string, args: readonly string[], settings: NodeJS.ProcessEnv = {}): Promise<void> {
  const env = { ...process.env, ...settings };
  await promisify(execFile)(join(programs, program), args, { env }).catch(({ stdout, stderr }) => {
    throw new Error(`${program} ${args.join(' ')}\n${stdout}${stderr}`);
  });
}
