/**
 * Tries public generators on the contracts: npm run generators [-- NAME…] [--no-write]
 *
 * Each is installed at a fixed version into a folder outside the project and makes a client of each contract, which is compiled or
 * type-checked and, where the machine can, driven against a service that is started from the source. Prints a table of them, and writes
 * their rows into contracts/guides/generators.md. Ends with 1 when anything failed; the logs are beside the clients.
 * What the languages need must be there: a step without it is skipped.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { jpeg } from '../../test/support/pictures.js';
import { startTarget, type Target } from './target.js';
import { contractFiles, type Trial, trials } from './trials.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const place = join(tmpdir(), 'malote-generators');
/** Of what is installed, from one run to the next. */
const cache = join(place, 'cache');
const DOCUMENT = 'contracts/guides/generators.md';
const BEGIN = '<!-- table of npm run generators -->';
const END = '<!-- end of the table -->';
const STEP_MINUTES = 20;
/** What a step ends with where the machine lacks what it needs. */
const NOT_HERE = 77;

type Step = 'install' | 'generate' | 'compile' | 'drive';
/** `–` where a trial has no such step, or the machine lacks what it needs. */
type Verdict = 'yes' | 'no' | '–';

interface Outcome {
  readonly trial: Trial;
  readonly generates: string;
  readonly compiles: string;
  readonly runs: Verdict;
}

const { values, positionals } = parseArgs({ options: { 'no-write': { type: 'boolean' } }, allowPositionals: true });
const isChosen = ({ name }: Trial) => positionals.length === 0 || positionals.some((word) => name.includes(word));
const chosen = trials.filter(isChosen);
if (chosen.length === 0) throw new Error(`no such generator; there are ${trials.map(({ name }) => name).join(', ')}`);

/** Runs one function of a trial's steps in its folder; what that writes goes to its log. */
async function run(step: Step, folder: string, env: NodeJS.ProcessEnv): Promise<Verdict> {
  const log = openSync(join(folder, 'log.txt'), 'a');
  const script = `source ./steps.sh; declare -F ${step} || exit ${NOT_HERE}; ${step}`;
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

/** What one step came to with each contract; the interfaces are named where they differ. */
function summary(verdicts: ReadonlyMap<string, Verdict>): string {
  const different = new Set(verdicts.values());
  const [only = '–'] = different;
  return different.size <= 1 ? only : [...verdicts].map(([contract, verdict]) => `${contract}: ${verdict}`).join(', ');
}

/** Each step with each contract, as far as the step before it came. */
async function tried(trial: Trial, target: Target): Promise<Outcome> {
  const folder = join(place, trial.name);
  await rm(folder, { recursive: true, force: true });
  await cp(join(root, 'scripts/generators/clients', trial.name), folder, { recursive: true });
  await writeFile(join(folder, 'photo.jpg'), jpeg());
  const shared = { ...target.env, ROOT: root, CACHE: cache, VERSION: trial.version };
  const [generates, compiles] = [new Map<string, Verdict>(), new Map<string, Verdict>()];
  let isWhole = (await run('install', folder, shared)) !== 'no';
  for (const contract of trial.contracts) {
    const env = { ...shared, CONTRACT: contract, DOCUMENT: join(root, contractFiles[contract]) };
    const generated = isWhole ? await run('generate', folder, env) : 'no';
    const compiled = generated === 'yes' ? await run('compile', folder, env) : '–';
    generates.set(contract, generated);
    compiles.set(contract, compiled);
  }
  isWhole = ![...generates.values(), ...compiles.values()].includes('no');
  const runs = isWhole ? await run('drive', folder, shared) : '–';
  const outcome = { trial, generates: summary(generates), compiles: summary(compiles), runs };
  console.log(
    `${trial.name}: generates ${outcome.generates}; compiles ${outcome.compiles}; runs ${runs}; ${folder}/log.txt`,
  );
  return outcome;
}

const COLUMNS = '| generator | for | contracts | generates | compiles | runs | |\n|---|---|---|---|---|---|---|';

/** The row of a trial begins with this, whatever came of it. */
const beginningOf = ({ generator, language }: Trial) => [`| ${generator} `, ` | ${language} | `] as const;

function rowOf({ trial, generates, compiles, runs }: Outcome): string {
  const { generator, version, language, contracts, note = '' } = trial;
  const cells = [`${generator} ${version}`, language, contracts.join(', '), generates, compiles, runs, note];
  return `| ${cells.join(' | ')} |`;
}

/** Puts the rows into the guide, and keeps those of generators that were not tried. */
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
  for (const trial of chosen) outcomes.push(await tried(trial, target));
} finally {
  await target.stop();
}
console.log([COLUMNS, ...outcomes.map(rowOf)].join('\n'));
if (!values['no-write']) await write(outcomes);
const hasFailed = ({ generates, compiles, runs }: Outcome) =>
  [generates, compiles, runs].some((cell) => /no/.test(cell));
process.exitCode = outcomes.some(hasFailed) ? 1 : 0;
