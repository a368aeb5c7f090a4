/**
 * Tries public generators on the contracts: npm run generators [-- NAME…] [--no-write]. Installs each generator at a
 * fixed version in a folder outside the project, and generates a client for each contract that a service publishes. The
 * service is started from the sources. Compiles or type-checks the client, and runs it against the service if the
 * machine can. A contract that is published in two forms gets a client from each form. Prints a table, and writes its
 * rows to contracts/guides/generators.md. Ends with 1 if a step failed; the logs are beside the clients. A step is
 * skipped if its language's tools are not installed.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { jpeg } from '../../test/support/pictures.js';
import { startTarget, type Target } from './target.js';
import { contractFiles, type Trial } from './trial.js';
import { trials } from './trials.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const place = join(tmpdir(), 'malote-generators');
/** The documents that the service publishes. */
const documents = join(place, 'documents');
/** Keeps installed packages for the next run. */
const cache = join(place, 'cache');
const DOCUMENT = 'contracts/guides/generators.md';
const BEGIN = '<!-- table of npm run generators -->';
const END = '<!-- end of the table -->';
const STEP_MINUTES = 20;
/** The exit code of a step for which the machine lacks a tool. */
const NOT_HERE = 77;

type Step = 'install' | 'generate' | 'compile' | 'drive';
/** `–` if a trial has no such step, or if the machine lacks a tool for it. */
type Verdict = 'yes' | 'no' | '–';

interface Outcome {
  readonly trial: Trial;
  readonly generates: string;
  readonly compiles: string;
  /** The verdict on the contract's other form: generated and compiled. */
  readonly other: string;
  readonly runs: Verdict;
}

const { values, positionals } = parseArgs({ options: { 'no-write': { type: 'boolean' } }, allowPositionals: true });
const isChosen = ({ name }: Trial) => positionals.length === 0 || positionals.some((word) => name.includes(word));
const chosen = trials.filter(isChosen);
if (chosen.length === 0) throw new Error(`no such generator; there are ${trials.map(({ name }) => name).join(', ')}`);

/** Runs a step of a trial in its folder. Its output goes to the trial's log. */
async function run({ steps }: Trial, step: Step, folder: string, env: NodeJS.ProcessEnv): Promise<Verdict> {
  const script = steps[step];
  if (script === undefined) return '–';
  const log = openSync(join(folder, 'log.txt'), 'a');
  const child = spawn('bash', ['-euo', 'pipefail', '-c', script], {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ['ignore', log, log],
    timeout: STEP_MINUTES * 60_000,
  });
  const [code] = await once(child, 'exit');
  closeSync(log);
  if (code === NOT_HERE) return '–';
  return code === 0 ? 'yes' : 'no';
}

/** The results for one contract. */
type Verdicts = Readonly<Record<'generates' | 'compiles' | 'other', Verdict>>;

/** The results of one step for all contracts. Names the interfaces if results differ. */
function summary(all: ReadonlyMap<string, Verdicts>, step: keyof Verdicts): string {
  const verdicts = [...all].map(([contract, each]) => [contract, each[step]] as const);
  const different = new Set(verdicts.map(([, verdict]) => verdict));
  const [only = '–'] = different;
  return different.size <= 1 ? only : verdicts.map(([contract, verdict]) => `${contract}: ${verdict}`).join(', ');
}

/** Saves the published documents. */
async function download(url: string): Promise<void> {
  await mkdir(documents, { recursive: true });
  for (const file of Object.values(contractFiles).flat()) {
    const answer = await fetch(`${url}/docs/${file}`);
    if (!answer.ok) throw new Error(`/docs/${file} answers ${answer.status}`);
    await writeFile(join(documents, file), await answer.text());
  }
}

/** Generates from one form of a contract, and compiles the result. */
async function built(trial: Trial, folder: string, env: NodeJS.ProcessEnv): Promise<Built> {
  const generates = await run(trial, 'generate', folder, env);
  return { generates, compiles: generates === 'yes' ? await run(trial, 'compile', folder, env) : '–' };
}

/** Makes the trial's folder, with the program that runs its client. */
async function prepare({ steps }: Trial, folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  for (const [name, source] of Object.entries(steps.copied ?? {}))
    await cp(join(root, 'lab/generators/clients', source), join(folder, name));
  await mkdir(folder, { recursive: true });
  for (const [name, text] of Object.entries(steps.written ?? {})) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  await writeFile(join(folder, 'photo.jpg'), jpeg());
}

type Built = Pick<Verdicts, 'generates' | 'compiles'>;

/** Runs each step for each contract whose last step passed. */
async function tried(trial: Trial, target: Target): Promise<Outcome> {
  const folder = join(place, trial.name);
  // The folder has the same name in each run, so that steps find their installed packages.
  const otherFolder = join(place, 'other', trial.name);
  await prepare(trial, folder);
  const shared = { ...target.env, ROOT: root, CACHE: cache, NAME: trial.name, VERSION: trial.version };
  const isInstalled = (await run(trial, 'install', folder, shared)) !== 'no';
  await rm(otherFolder, { recursive: true, force: true });
  await cp(folder, otherFolder, { recursive: true, verbatimSymlinks: true });
  const verdicts = new Map<string, Verdicts>();
  for (const contract of trial.contracts) {
    const [form, other] = contractFiles[contract];
    const envOf = (file: string) => ({ ...shared, CONTRACT: contract, DOCUMENT: join(documents, file) });
    const first = isInstalled ? await built(trial, folder, envOf(form)) : ({ generates: 'no', compiles: '–' } as const);
    const second = other && first.generates === 'yes' ? await built(trial, otherFolder, envOf(other)) : undefined;
    const isRefused = second?.generates === 'no' || second?.compiles === 'no';
    verdicts.set(contract, { ...first, other: isRefused ? 'no' : (second?.generates ?? '–') });
  }
  const isWhole = [...verdicts.values()].every(({ generates, compiles }) => generates !== 'no' && compiles !== 'no');
  const runs = isWhole ? await run(trial, 'drive', folder, shared) : '–';
  const outcome: Outcome = {
    trial,
    generates: summary(verdicts, 'generates'),
    compiles: summary(verdicts, 'compiles'),
    other: summary(verdicts, 'other'),
    runs,
  };
  console.log(`${rowOf(outcome)} ${folder}/log.txt`);
  return outcome;
}

const COLUMNS =
  '| generator | for | contracts | generates | compiles | from YAML too | runs | |\n|---|---|---|---|---|---|---|---|';

/** The beginning of a trial's row, whatever its result. */
const beginningOf = ({ generator, language }: Trial) => [`| ${generator} `, ` | ${language} | `] as const;

function rowOf({ trial, generates, compiles, other, runs }: Outcome): string {
  const { generator, version, language, contracts, note = '' } = trial;
  const cells = [`${generator} ${version}`, language, contracts.join(', '), generates, compiles, other, runs, note];
  return `| ${cells.join(' | ')} |`;
}

/** Puts the rows into the guide, and keeps the rows of generators that were not tried. */
async function write(outcomes: readonly Outcome[]): Promise<void> {
  const document = await readFile(join(root, DOCUMENT), 'utf8');
  const [from, to] = [document.indexOf(BEGIN), document.indexOf(END)];
  if (from < 0 || to < from) throw new Error(`${DOCUMENT} has no place for the table`);
  const earlier = document.slice(from, to).split('\n');
  const rows = trials.flatMap((trial) => {
    const outcome = outcomes.find((each) => each.trial === trial);
    if (outcome) return [rowOf(outcome)];
    const [start, middle] = beginningOf(trial);
    return earlier.filter((line) => line.startsWith(start) && line.includes(middle));
  });
  const table = [COLUMNS, ...rows].join('\n');
  await writeFile(join(root, DOCUMENT), `${document.slice(0, from)}${BEGIN}\n\n${table}\n\n${document.slice(to)}`);
}

await mkdir(cache, { recursive: true });
const target = await startTarget();
const outcomes: Outcome[] = [];
try {
  await download(target.url);
  for (const trial of chosen) outcomes.push(await tried(trial, target));
} finally {
  await target.stop();
}
console.log([COLUMNS, ...outcomes.map(rowOf)].join('\n'));
if (!values['no-write']) await write(outcomes);
const hasFailed = ({ generates, compiles, other, runs }: Outcome) =>
  [generates, compiles, other, runs].some((cell) => /no/.test(cell));
process.exitCode = outcomes.some(hasFailed) ? 1 : 0;
