/**
 * Runs the quick checks, one for each core at a time, and prints the time and the findings of each: npm run check [--
 * NAME…]. Ends with 1 when one failed.
 */
import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { performance } from 'node:perf_hooks';

/** Scripts of package.json, the longest first, so that the last ones fill the gaps. */
const checks = [
  'typecheck',
  'lint:layout',
  'lint:imports',
  'codegen -- --check',
  'lint',
  'lint:unused',
  'lint:breaking',
  'lint:contracts',
  'lint:words',
];

const named = process.argv.slice(2);
const strangers = named.filter((name) => !checks.some((check) => check.startsWith(name)));
if (strangers.length > 0) {
  console.error(`not a check: ${strangers.join(', ')}. There are ${checks.join(', ')}.`);
  process.exit(2);
}
const waiting = checks.filter((check) => named.length === 0 || named.some((name) => check.startsWith(name)));
const verdicts: boolean[] = [];
await Promise.all(Array.from({ length: availableParallelism() }, runWaiting));
process.exitCode = verdicts.every(Boolean) ? 0 : 1;

async function runWaiting(): Promise<void> {
  for (let check = waiting.shift(); check !== undefined; check = waiting.shift()) {
    const start = performance.now();
    const { code, output } = await run(check);
    const seconds = ((performance.now() - start) / 1_000).toFixed(1);
    verdicts.push(code === 0);
    console.log(`${code === 0 ? 'ok   ' : 'FAIL '} ${check} (${seconds} s)`);
    if (code !== 0) console.log(output);
  }
}

function run(check: string): Promise<{ code: number | null; output: string }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ code: number | null; output: string }>();
  const child = spawn('npm', ['run', '--silent', ...check.split(' ')], { stdio: ['ignore', 'pipe', 'pipe'] });
  const parts: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (part: string) => parts.push(part));
  }
  child.on('error', reject).on('close', (code) => resolve({ code, output: parts.join('') }));
  return promise;
}
