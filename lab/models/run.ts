/**
 * Checks the models with TLC, and checks that TLC finds each broken variant: npx tsx lab/models/run.ts [--small]
 * [--trace] [module]… Ends with 1 if a promise is broken, a variant is not found, or TLC gives no verdict.
 */
import { parseArgs } from 'node:util';
import Table from 'cli-table3';
import { type Model, models, type Variant } from './models.js';
import { type Checked, check, missingTlc } from './tlc.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { small: { type: 'boolean' }, trace: { type: 'boolean' } },
});

/** The rows of the table, and true if every check passed. */
interface Trial {
  model: Model;
  what: string;
  constants: Model['bounds'][number]['constants'];
  variant?: Variant;
}

const trials: Trial[] = models
  .filter(({ module }) => positionals.length === 0 || positionals.includes(module))
  .flatMap((model) => [
    ...model.bounds
      .filter(({ small }) => small || !values.small)
      .map(({ constants }) => ({ model, what: 'as the code is', constants })),
    ...model.variants.map((variant) => ({ model, what: variant.broken, constants: variant.constants, variant })),
  ]);

function verdictOf({ variant }: Trial, { violation, failure }: Checked): { text: string; isRight: boolean } {
  if (failure !== undefined) return { text: `no verdict: ${failure}`, isRight: false };
  const text = violation ? `${violation.promise} broken after ${violation.steps} steps` : 'kept';
  return { text, isRight: Boolean(violation) === Boolean(variant) };
}

const AT_ONCE = 2;
const left = [...trials];
const rows = new Map<Trial, { states: number; text: string; isRight: boolean }>();

async function work(): Promise<void> {
  for (let trial = left.shift(); trial; trial = left.shift()) {
    const { model, what, constants, variant } = trial;
    const started = performance.now();
    const checked = await check(model, constants, variant?.broken);
    const verdict = verdictOf(trial, checked);
    rows.set(trial, { states: checked.states, ...verdict });
    const seconds = ((performance.now() - started) / 1000).toFixed(0);
    console.log(`${verdict.isRight ? 'ok   ' : 'WRONG'} ${model.module}: ${what}: ${verdict.text} (${seconds} s)`);
    if (checked.violation && (values.trace || !verdict.isRight)) console.log(checked.violation.trace);
  }
}

const missing = await missingTlc();
if (missing !== undefined) {
  console.log(`note: the models were not checked: ${missing}`);
  process.exit(values.small ? 0 : 1);
}
if (trials.length === 0) throw new Error(`there is no such model: ${positionals.join(', ')}`);
await Promise.all(Array.from({ length: AT_ONCE }, work));
const table = new Table({
  head: ['model', 'bounds', 'code, or what it leaves out', 'states', 'verdict'],
  colWidths: [17, 40, 36, 10, 36],
  wordWrap: true,
  style: { head: [], border: [] },
});
for (const trial of trials) {
  const { states = 0, text = '' } = rows.get(trial) ?? {};
  const bounds = Object.entries(trial.constants).map(([name, value]) => `${name} ${value}`);
  table.push([trial.model.module, bounds.join(', '), trial.what, states, text]);
}
const wrong = [...rows.values()].filter(({ isRight }) => !isRight).length;
console.log(`${table.toString()}\n${trials.length} trials, ${wrong} not as they should be`);
process.exitCode = wrong > 0 ? 1 : 0;
