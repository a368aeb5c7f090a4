/**
 * Runs every bench except the long ones, one after the other: make bench, or npx tsx lab/bench/all.ts [--quick] [--only
 * rest,webhooks] [--no-write]. Prints a table of figures for each bench, with the range of its rounds. Writes the table
 * and the machine to lab/bench/figures.md, in place of the bench's earlier table. `--quick` takes about 5 minutes and
 * writes nothing. A bench that misses a goal does not stop the others, but the exit code is then 1.
 */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, release, tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type Figure, range } from '../figures.js';
import { demandBuild } from './programs.js';

interface Bench {
  about: string;
  /** Options of a quick run. Absent if a short run proves nothing. */
  quick?: readonly string[];
}

/** Keys are the names of the scripts. */
const benches: Readonly<Record<string, Bench>> = {
  rest: { about: 'An order by REST, beside Fastify and pg by hand', quick: ['--rounds', '2', '--requests', '1000'] },
  pages: {
    about: 'Pages for people, beside their calls',
    quick: ['--rounds', '3', '--requests', '1000'],
  },
  graphql: {
    about: 'createOrder by GraphQL, beside pgbench and mercurius',
    quick: ['--rounds', '1', '--seconds', '1'],
  },
  replicas: { about: 'createOrder by one replica and by two', quick: ['--rounds', '1', '--seconds', '2'] },
  rules: {
    about: 'createOrder by areas of all municipalities and a calendar, beside without',
    quick: ['--rounds', '1', '--seconds', '2'],
  },
  reads: { about: 'Orders by GraphQL, beside PostGraphile', quick: ['--rounds', '1', '--requests', '400'] },
  statements: { about: 'A month of many orders: first byte and memory', quick: ['--orders', '10000'] },
  quotes: { about: 'A quote by CEPs, beside an estimate', quick: ['--rounds', '2', '--requests', '1000'] },
  'rate-table': {
    about: 'A table of prices that is made, beside estimates of others',
    quick: ['--rounds', '1', '--seconds', '5'],
  },
  coverage: {
    about: 'Coverage of a CEP, by areas of all municipalities',
    quick: ['--rounds', '2', '--requests', '1000'],
  },
  lists: { about: 'Lists among many orders', quick: ['--orders', '10000', '--runs', '6'] },
  years: {
    about: 'Five years of orders, beside those of today',
    quick: ['--orders', '20000', '--few', '5000', '--runs', '35'],
  },
  webhooks: { about: 'The webhook worker, beside bare got and a job queue', quick: ['rate', '--rounds', '1'] },
  labels: { about: 'Labels of an order, beside one', quick: ['--rounds', '1', '--requests', '5'] },
  'movement-files': {
    about: 'Files of movements by codes, beside one by keys',
    quick: ['--rounds', '1', '--packages', '1000'],
  },
  geocode: { about: 'The embedded geocoder', quick: ['--quick'] },
  route: { about: 'The embedded route solver', quick: ['--quick'] },
};

const DOCUMENT = 'lab/bench/figures.md';
const BEGIN = '<!-- figures of make bench -->';
const END = '<!-- end of the figures -->';

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', default: Object.keys(benches).join() },
    'no-write': { type: 'boolean', default: false },
  },
});

interface Outcome {
  name: string;
  figures: Figure[];
  seconds: number;
  passed: boolean;
}

/** Runs one bench in a separate process, so that none inherits the heap or the compiled code of another. */
async function run(name: string, folder: string): Promise<Outcome> {
  const file = join(folder, `${name}.jsonl`);
  const started = performance.now();
  console.log(`\n${name}: ${benches[name]?.about}`);
  const args = values.quick ? (benches[name]?.quick ?? []) : [];
  const child = spawn(process.execPath, ['--import', 'tsx', `lab/bench/${name}.ts`, ...args], {
    env: { ...process.env, BENCH_FIGURES: file },
    stdio: 'inherit',
  });
  const [code] = await once(child, 'exit');
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  const figures = lines.map((line): Figure => JSON.parse(line));
  return { name, figures, seconds: (performance.now() - started) / 1000, passed: code === 0 };
}

const git = (...args: string[]): string => execFileSync('git', args, { encoding: 'utf8' }).trim();

/** The machine that produced the figures. */
function setting(): string {
  const [cpu] = cpus();
  const memory = `${Math.round(totalmem() / 2 ** 30)} GiB`;
  const dirty = git('status', '--porcelain', '--', 'src', 'lab', 'package-lock.json') === '' ? '' : ' with changes';
  return [
    `Node ${process.version}, embedded PostgreSQL, Linux ${release()}; ${cpus().length} cores (${cpu?.model.trim()}), ${memory}`,
    `load before ${loadavg()[0]?.toFixed(1)}; commit ${git('rev-parse', '--short', 'HEAD')}${dirty}, ${new Date().toISOString().slice(0, 10)}`,
  ].join('; ');
}

function section({ name, figures, seconds, passed }: Outcome): [about: string, text: string] {
  const about = benches[name]?.about ?? name;
  const rows = figures.map((figure) => {
    const { title, goal = '', verdict = '' } = figure;
    return `| ${title} | ${range(figure)} | ${goal} | ${verdict === 'MISSED' ? '**missed**' : verdict} |`;
  });
  const text = [
    `### ${about}`,
    '',
    `\`npx tsx lab/bench/${name}.ts\`, ${Math.round(seconds)} s${passed ? '' : '; ended with an error or a missed goal'}. ${measuredOn}`,
    '',
    '| figure | median (range of the rounds) | goal | |',
    '|---|---|---|---|',
    ...rows,
  ].join('\n');
  return [about, text];
}

/** Puts the sections into the document, and keeps the sections of benches that did not run. */
function write(sections: ReadonlyMap<string, string>): void {
  const document = readFileSync(DOCUMENT, 'utf8');
  const [from, to] = [document.indexOf(BEGIN), document.indexOf(END)];
  if (from < 0 || to < from) throw new Error(`${DOCUMENT} has no place for the figures`);
  const earlier = document.slice(from + BEGIN.length, to).split(/^(?=### )/m);
  const texts = Object.values(benches).flatMap(
    ({ about }) => sections.get(about) ?? earlier.find((text) => text.startsWith(`### ${about}\n`))?.trim() ?? [],
  );
  writeFileSync(DOCUMENT, `${document.slice(0, from)}${[BEGIN, ...texts].join('\n\n')}\n\n${document.slice(to)}`);
}

const names = values.only.split(',');
const unknownNames = names.filter((name) => benches[name] === undefined);
if (unknownNames.length > 0) throw new Error(`no such bench: ${unknownNames.join(', ')}`);
process.chdir(new URL('../..', import.meta.url).pathname);
await demandBuild();
const folder = mkdtempSync(join(tmpdir(), 'malote-bench-'));
const measuredOn = setting();
console.log(measuredOn);
const outcomes: Outcome[] = [];
try {
  for (const name of names) if (!values.quick || benches[name]?.quick) outcomes.push(await run(name, folder));
} finally {
  rmSync(folder, { recursive: true });
}
const sections = new Map(outcomes.map(section));
console.log(`\n${[...sections.values()].join('\n\n')}`);
if (!values.quick && !values['no-write']) write(sections);
process.exitCode = outcomes.every(({ passed }) => passed) ? 0 : 1;
