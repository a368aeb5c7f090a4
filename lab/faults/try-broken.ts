/**
 * Shows that each fault finds a broken service: npx tsx lab/faults/try-broken.ts [--topology] [name]… For each mutant
 * it breaks a copy of the project, builds it, and runs the fault there. Ends with 1 if a fault missed its mutant.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Mutant } from './mutant.js';
import { mutants } from './mutants.js';
import { chosen, type FaultName, faultNames, type TopologyFaultName, topologyFaultNames } from './names.js';
import { topologyMutants } from './topology/mutants.js';

type AnyName = FaultName | TopologyFaultName;

const copiedPaths = [
  'lab',
  'deploy',
  'src',
  'generated',
  'contracts',
  'scripts',
  'test',
  'CHANGELOG.md',
  'package.json',
  'tsconfig.json',
];
const { values, positionals } = parseArgs({ allowPositionals: true, options: { topology: { type: 'boolean' } } });
const names: readonly AnyName[] = chosen<AnyName>(values.topology ? topologyFaultNames : faultNames, positionals);
const listed: readonly Mutant<AnyName>[] = values.topology ? topologyMutants : mutants;
const runner = `lab/faults/${values.topology ? 'topology/' : ''}run.ts`;

async function copyTree(): Promise<string> {
  const tree = await mkdtemp(join(tmpdir(), 'malote-broken-'));
  const filter = (path: string) => !path.endsWith('/node_modules');
  for (const name of copiedPaths) await cp(name, join(tree, name), { recursive: true, filter });
  await symlink(resolve('node_modules'), join(tree, 'node_modules'));
  return tree;
}

/** Runs a command in the copy. Resolves to its exit code and output. */
async function run(tree: string, ...args: string[]): Promise<{ code: number; output: string }> {
  const child = spawn(process.execPath, args, { cwd: tree, stdio: ['ignore', 'pipe', 'pipe'] });
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  const [code] = await once(child, 'close');
  return { code: Number(code), output: Buffer.concat(chunks).toString('utf8') };
}

async function build(tree: string): Promise<void> {
  const { code, output } = await run(tree, '--import', 'tsx', 'scripts/build.ts');
  if (code !== 0) throw new Error(output);
}

/** Makes the edits. Returns a function that undoes them. */
async function edit(tree: string, { edits }: Mutant<AnyName>): Promise<() => Promise<void>> {
  const originals = new Map<string, string>();
  for (const { file, from, to } of edits) {
    const path = join(tree, file);
    const text = await readFile(path, 'utf8');
    if (!text.includes(from)) throw new Error(`${file} has changed: ${from}`);
    if (!originals.has(path)) originals.set(path, text);
    await writeFile(
      path,
      text.replace(from, () => to),
    );
  }
  return async () => {
    for (const [path, text] of originals) await writeFile(path, text);
  };
}

const withoutProcesses: readonly AnyName[] = [
  'inner-addresses',
  'lost-connections',
  'costly-patterns',
  'expired-keys',
  'release-too-old',
];

/** True if the fault finds the mutant. */
async function isFound(tree: string, mutant: Mutant<AnyName>): Promise<boolean> {
  const undo = await edit(tree, mutant);
  await build(tree);
  // A trial with processes runs from intact sources. A trial without processes, or of their setup, runs from the edited
  // sources.
  const isSetUp = mutant.edits.some(({ file }) => file.startsWith('deploy/'));
  if (!isSetUp && !withoutProcesses.includes(mutant.fault)) await undo();
  const { code, output } = await run(tree, '--import', 'tsx', runner, mutant.fault);
  await undo();
  const isBroken = code === 1 && output.includes('BROKEN');
  console.log(`${mutant.fault} ${mutant.name}: ${isBroken ? 'found' : 'NOT FOUND'}`);
  const rows = output.split('\n').filter((line) => line.startsWith('│'));
  // Without a table the run itself failed. Its last lines say why.
  console.log(rows.slice(1).join('\n') || output.slice(-2_000));
  return isBroken;
}

const tree = await copyTree();
try {
  let missed = 0;
  for (const mutant of listed.filter(({ fault }) => names.includes(fault))) {
    if (!(await isFound(tree, mutant))) missed += 1;
  }
  console.log(`${missed} mutants were not found`);
  process.exitCode = missed > 0 ? 1 : 0;
} finally {
  await rm(tree, { recursive: true, force: true });
}
