/**
 * Runs journeys: npm run journeys [-- FILE…] Those of contracts/journeys unless files or folders are named, against a
 * service that is started for them. With `--url` against one that runs already: `--input operator_password=…` gives it
 * what the journeys cannot know, and more of their inputs in the same way. Each run opens an account of its own, unless
 * `--input email=…` names one. Ends with 1 when a journey fails.
 */
import { randomUUID } from 'node:crypto';
import { statSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type Inputs, journeysIn, runJourneys, setStage } from '../test/support/journeys.js';
import { start, stop } from '../test/support/postgres.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { url: { type: 'string' }, input: { type: 'string', multiple: true, default: [] } },
});

const places = positionals.length > 0 ? positionals : ['contracts/journeys'];
const files = (
  await Promise.all(places.map((place) => (statSync(place).isDirectory() ? journeysIn(place) : [place])))
).flat();
const given = Object.fromEntries(values.input.map((pair) => pair.split(/=(.*)/s)));

async function run(url: string, inputs: Inputs): Promise<void> {
  const email = `ana-${randomUUID().slice(0, 8)}@example.com`;
  const { passed, output } = await runJourneys(files, url, { email, ...inputs, ...given });
  console.log(output);
  if (!passed) process.exitCode = 1;
}

async function runOnStage(): Promise<void> {
  await start();
  const stage = await setStage();
  await run(stage.service.url, stage.inputs).finally(stage.stop);
}

await (values.url === undefined ? runOnStage().finally(stop) : run(values.url, {}));
